// What codex or the system would choke on, refused before it is stored.
import type { TurnInput } from '../codex/index.ts'
import { problemWithObject } from '../util/json-bounds.ts'
import { TaskError } from './task-errors.ts'

export function checkOutputSchema(schema: unknown): void {
  if (schema === undefined || schema === null) return
  const problem = problemWithObject(schema)
  if (problem !== null) throw new TaskError('bad-request', `outputSchema ${problem}`)
}

/** By the name of their field. */
export function checkPaths(paths: Readonly<Record<string, string | undefined>>): void {
  for (const [name, path] of Object.entries(paths))
    if (path?.includes('\0')) throw new TaskError('bad-request', `${name} has a NUL in it: no path can`)
}

export function checkInput(input: TurnInput): void {
  if (typeof input === 'string') return
  for (const [index, item] of input.entries())
    if ('path' in item) checkPaths({ [`the path of input item ${index}`]: item.path })
}
