import type { Grant } from '../../tasks/index.ts'

/** `unknown`: it has not been possible to check it for a while. */
export type Standing = 'valid' | 'revoked' | 'unknown'

/** What a request was let in with. */
export interface Credential {
  readonly kind: 'token' | 'login'
  readonly id: string
  /** Who uses it, as far as it can be told: one token may be shared. Streams are counted by this. */
  readonly caller: string
  readonly actor: string
  /** What it may do; null: everything. */
  readonly grant: Grant | null
  /** Whether it would still be let in; open streams are looked at again. Never rejects. */
  check(): Promise<Standing>
}
