import { addAbortSignal } from 'node:stream'
import { text as readAll } from 'node:stream/consumers'
import { type Surroundings, UsageError } from '../process/index.ts'

/** The prompt as it was given; with `-`, or with none and a pipe, what comes from stdin. */
export function promptText(
  prompt: string | undefined,
  { stdin, interrupted }: Pick<Surroundings, 'stdin' | 'interrupted'>,
  usage: string,
): string | Promise<string> {
  if (prompt !== undefined && prompt !== '-') return prompt
  if (prompt === undefined && stdin.isTTY) throw new UsageError(`no prompt: ${usage}`)
  return readAll(addAbortSignal(interrupted, stdin))
}
