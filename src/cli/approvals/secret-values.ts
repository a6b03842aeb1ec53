// `--secret name`: a value that must not stand on a command line, where the shell keeps it and everybody can see it.
import { addAbortSignal } from 'node:stream'
import { text as readAll } from 'node:stream/consumers'
import type { Approval } from '../../api/index.ts'
import { type Surroundings, UsageError } from '../process/index.ts'
import { typedSecrets } from '../prompts/index.ts'
import { requireAsked } from './answer-values.ts'

/** As `name=value` each: typed without being shown at a terminal, else a line of stdin each; one alone is all of it. */
export async function secretValues(
  question: Approval['question'],
  names: readonly string[],
  surroundings: Surroundings,
): Promise<string[]> {
  requireAsked(question, names, '--secret')
  if (names.length === 0) return []
  const values = surroundings.stdin.isTTY
    ? await typedSecrets(names, surroundings)
    : await pipedValues(names, surroundings)
  return names.map((name, index) => `${name}=${values[index]}`)
}

async function pipedValues(
  names: readonly string[],
  { stdin, interrupted }: Surroundings,
): Promise<readonly string[]> {
  const all = (await readAll(addAbortSignal(interrupted, stdin))).replace(/\r?\n$/, '')
  const values = names.length === 1 ? [all] : all.split(/\r?\n/)
  if (all !== '' && values.length === names.length) return values
  throw new UsageError(
    `--secret: stdin must have ${names.length === 1 ? 'the value' : 'a line for each value'}`,
  )
}
