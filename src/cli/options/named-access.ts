// The part of a policy that a command line names.
import { homedir } from 'node:os'
import path from 'node:path'
import { type AllowedPath, problemWithAccess } from '../../codex/index.ts'
import { UsageError } from '../process/index.ts'
import { type AccessFlags, type NamedNetwork, networkOf } from './access-flags.ts'

export interface NamedAccess {
  readonly network?: NamedNetwork
  readonly allow?: AllowedPath[]
  readonly confined?: boolean
}

/** `isElsewhere`: paths are of another machine. */
export function accessOf(
  { network, allow = [], confined }: AccessFlags,
  { isElsewhere = false } = {},
): NamedAccess {
  const access = networkOf(network)
  const given = {
    ...(access !== undefined && { network: access }),
    ...(allow.length > 0 && { allow: allow.map((text) => allowedPath(text, isElsewhere)) }),
    ...(confined && { confined }),
  }
  const problem = problemWithAccess(given)
  if (problem !== null) throw new UsageError(problem)
  return given
}

function allowedPath(text: string, isElsewhere: boolean): AllowedPath {
  const [, access, named = ''] = /^(ro|rw):(.+)$/s.exec(text) ?? []
  if (access === undefined)
    throw new UsageError(`--allow: write ro:<path> or rw:<path>: ${JSON.stringify(text)}`)
  if (isElsewhere && !named.startsWith('/'))
    throw new UsageError(`--allow: name the path on the other machine from / on: ${JSON.stringify(named)}`)
  const place = named === '~' || named.startsWith('~/') ? path.join(homedir(), named.slice(1)) : named
  return { access: access as AllowedPath['access'], path: isElsewhere ? plain(named) : path.resolve(place) }
}

function plain(named: string): string {
  return path.posix.resolve('/', named)
}
