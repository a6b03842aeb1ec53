// What went wrong on a host, as people are told of it.
import type { HostKeyError } from '../../hosts/index.ts'
import { TaskError } from '../../tasks/index.ts'

export interface HostTrouble {
  /** null: nothing is wrong. */
  readonly problem: string | null
  /** null: nothing, or nobody knows. */
  readonly toDo: string | null
  /** Of a host whose key a person has to confirm. */
  readonly keys: readonly { readonly type: string; readonly fingerprint: string }[]
}

export function troubleOf(error: unknown): HostTrouble {
  const { hint = null, message = String(error), keys = [] } = Object(error) as Partial<HostKeyError>
  return { problem: message, toDo: hint, keys }
}

/** What ssh says, with what to do about it. An error of another kind stays as it is. */
export function plainError(error: unknown): unknown {
  const { hint, host } = Object(error) as Partial<HostKeyError>
  if (hint === undefined) return error
  const { problem, keys } = troubleOf(error)
  // Its value would be hidden as that of a key.
  const how =
    keys.length > 0 ? `. Command: \`drawbridge host check ${host} --accept-key\`, and the fingerprint` : ''
  return new TaskError('bad-request', `${problem}. To do: ${hint}${how}`, { cause: error })
}
