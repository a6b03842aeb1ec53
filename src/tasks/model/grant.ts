// What a named token may do. Plain data; `grants/` enforces it for every door.
import type { PresetName, ThreadPolicy } from '../../codex/index.ts'

/**
 * `read`: see tasks. `start`: start tasks, and go on with those it sees. `answer`: answer questions of tasks that others
 * started. `answer-own`: answer those of its own tasks and of tasks below them.
 */
export const RIGHTS = ['read', 'start', 'answer', 'answer-own'] as const
export type Right = (typeof RIGHTS)[number]

/** From the narrowest to the widest. */
export const SANDBOXES = [
  'read-only',
  'workspace-write',
  'danger-full-access',
] as const satisfies readonly NonNullable<ThreadPolicy['sandbox']>[]
export const PRESETS_BY_WIDTH = [
  'ask-all',
  'read-only',
  'workspace',
  'trusted',
] as const satisfies readonly PresetName[]

/** The widest a task may be that the token starts, or goes on with. */
export interface Ceiling {
  readonly sandbox: (typeof SANDBOXES)[number]
  readonly preset: PresetName
  /** Whether commands may reach the network from inside the sandbox. */
  readonly network: boolean
  /** Absolute. A task's folder must be in one of them, by its real path; null: any folder. */
  readonly folders: readonly string[] | null
  /** Hosts that its tasks may run on, as `<host>`, or `<host>:<folder>` for a folder there. Absent: none but this machine. */
  readonly hosts?: readonly string[] | undefined
  /** Accounts that its tasks may run on, as a start names them. Absent: only that of the codex home. */
  readonly accounts?: readonly string[] | undefined
}

/** The folders of a host that tasks of a token may work in; null: any there, undefined: none, it may not use the host. */
export function foldersOn(host: string, { hosts = [] }: Ceiling): readonly string[] | null | undefined {
  const places = hosts.flatMap((place) => {
    if (place === host) return ['']
    return place.startsWith(`${host}:/`) ? [place.slice(host.length + 1)] : []
  })
  if (places.length === 0) return undefined
  return places.includes('') ? null : places
}

/** Whether a turn with these rights, whatever else holds for it, is above the ceiling. */
export function isAbove(
  { sandbox, approvalPolicy = 'on-request' }: Pick<ThreadPolicy, 'sandbox' | 'approvalPolicy'>,
  ceiling: Ceiling,
): boolean {
  if (sandbox !== undefined && isWider(sandbox, ceiling.sandbox)) return true
  const asks = approvalPolicy === 'untrusted' || approvalPolicy === 'on-request'
  return !asks && ceiling.sandbox === 'danger-full-access' && ceiling.preset !== 'trusted'
}

export function isWider(sandbox: Ceiling['sandbox'], than: Ceiling['sandbox']): boolean {
  return SANDBOXES.indexOf(sandbox) > SANDBOXES.indexOf(than)
}

export interface Grant {
  readonly tokenId: string
  readonly name: string
  /** Which tasks it sees: its own and those below them, or all. */
  readonly tasks: 'own' | 'all'
  readonly may: readonly Right[]
  readonly ceiling: Ceiling
}
