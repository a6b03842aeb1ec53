// The one place where what a tool returns or throws becomes the result of a call.
import { DrawbridgeError } from '../codex/index.ts'
import { databaseTrouble } from '../tasks/index.ts'
import { cutText } from '../util/cut-text.ts'

/** More would crowd out a model's own context; tools page long before it. */
const MAX_CHARACTERS = 60_000

interface ToolText {
  readonly [key: string]: unknown
  readonly content: { readonly type: 'text'; readonly text: string }[]
  readonly isError?: true
}

export async function toolResult(
  run: () => Promise<string>,
  onError: (error: unknown) => void,
): Promise<ToolText> {
  try {
    return { content: [{ type: 'text', text: cutText(await run(), MAX_CHARACTERS) }] }
  } catch (error) {
    return { content: [{ type: 'text', text: errorText(error, onError) }], isError: true }
  }
}

/** What a client is told of an error. A defect is only reported. */
export function errorText(error: unknown, onError: (error: unknown) => void): string {
  const known = databaseTrouble(error) ?? error
  if (!(known instanceof DrawbridgeError)) {
    onError(error)
    return 'internal: something went wrong inside Drawbridge; its log says what'
  }
  const { code, message, retryable } = known
  return `${code}: ${message}${retryable ? ' (the same call may succeed later)' : ''}`
}
