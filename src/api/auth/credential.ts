/** What a request was let in with. */
export interface Credential {
  readonly kind: 'token' | 'login'
  /** Limits are counted by this. */
  readonly id: string
  readonly actor: string
  /** Whether it would still be let in; open streams are looked at again. */
  isValid(): boolean
}
