/** What a request was let in with. */
export interface Credential {
  readonly kind: 'token' | 'login'
  /** Limits are counted by this. */
  readonly id: string
  readonly actor: string
  /** Whether it would still be let in; streams ask again from time to time. */
  isValid(): boolean
}
