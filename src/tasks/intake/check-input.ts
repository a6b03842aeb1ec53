// What codex or the system would choke on, refused before it is stored.
import { existsSync, statSync } from 'node:fs'
import type { TurnInput } from '../../codex/index.ts'
import { problemWithObject } from '../../util/json-bounds.ts'
import { TaskError } from '../model/index.ts'

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

/** Of a path that is refused, so much is repeated. */
const MAX_SHOWN = 200

export function checkFolder(folder: string): void {
  const why = problemWithFolder(folder)
  const shown = folder.length > MAX_SHOWN ? `${folder.slice(0, MAX_SHOWN)}…` : folder
  if (why !== null) throw new TaskError('bad-request', `${shown} ${why}`)
}

/** What commands are allowed besides the folder. */
export function checkIsThere(place: string): void {
  if (!existsSync(place))
    throw new TaskError('bad-request', `there is nothing at ${place.slice(0, MAX_SHOWN)}: make it first`)
}

/** The system has many ways to say no: too long a name, a loop of links, a folder above that is closed to us. */
function problemWithFolder(folder: string): string | null {
  try {
    const facts = statSync(folder, { throwIfNoEntry: false })
    return facts?.isDirectory() ? null : 'is not a folder on this machine'
  } catch (error) {
    return `cannot be used as a folder (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})`
  }
}

export function checkInput(input: TurnInput): void {
  if (typeof input === 'string') return
  for (const [index, item] of input.entries())
    if ('path' in item) checkPaths({ [`the path of input item ${index}`]: item.path })
}

/** Codex may run there, or here while its commands run there: which machine a path is of, nobody could tell. */
export function checkInputFor(host: string | null, input: TurnInput): void {
  if (host === null || typeof input === 'string') return
  const item = input.find((each) => 'path' in each && !/^(app|plugin):\/\//.test(each.path))
  if (item)
    throw new TaskError(
      'bad-request',
      `a task on ${host} takes no ${item.type} by its path, which is of this machine: give images as data: URLs, and name files of ${host} in the text`,
    )
}
