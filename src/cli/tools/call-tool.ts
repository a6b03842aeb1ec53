import type { CalledTool } from '../../api/index.ts'
import { EXIT, type Surroundings, UsageError } from '../process/index.ts'
import { printJson, tell } from '../screen/index.ts'
import { type ServiceFlags, serviceClient } from '../service/index.ts'

/** The answer on stdout, whatever it is; the exit code says whether the call succeeded. */
export async function callTool(
  { tool, given }: { tool: string; given: string },
  flags: ServiceFlags,
  surroundings: Surroundings,
): Promise<number> {
  const client = await serviceClient(flags, surroundings)
  const called = await client.callTool(tool, argumentsIn(given), { signal: surroundings.interrupted })
  if (flags.json) printJson(surroundings, called)
  else {
    surroundings.stdout.write(`${answerText(called)}\n`)
    if (called.outcome !== 'ok')
      tell(surroundings, `${tool}: ${called.outcome} after ${called.durationMs} ms`)
  }
  return called.outcome === 'ok' ? EXIT.done : EXIT.failed
}

export function argumentsIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch {
    // Said below.
  }
  throw new UsageError(`the arguments must be a JSON object, such as '{"city":"Oslo"}'`)
}

export function answerText({ content, structured }: CalledTool): string {
  if (structured !== null) return JSON.stringify(structured, null, 2)
  return content
    .map((piece) =>
      piece.type === 'text'
        ? piece.text
        : `[${piece.type} ${piece.mimeType}, ${piece.data.length} characters]`,
    )
    .join('\n')
}
