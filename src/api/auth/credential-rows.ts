/** A store that several doors share, as the composition root makes it of the database. It is given digests only. */
export interface CredentialRows {
  /** Makes this the worker's only token; null: it has none. Returns which it is, the same as long as the token is. */
  publishToken(token: {
    readonly workerId: string
    readonly hash: string | null
    readonly newId: string
  }): Promise<string | null>
  /** Of all but this worker. */
  tokenByHash(token: {
    readonly hash: string
    readonly exceptWorkerId: string
  }): Promise<{ readonly id: string; readonly hash: string } | null>
  /** Returns when it expires. */
  insertCode(code: {
    readonly hash: string
    readonly tokenId: string
    readonly validMs: number
  }): Promise<number>
  /** Uses the code up and adds the login, both or neither. False: the code does not count. */
  redeemCode(hash: string, login: NewLogin): Promise<boolean>
  /** null unless it is still let in. */
  login(id: string): Promise<LoginRow | null>
  /** Those that are still let in, oldest first. */
  logins(): Promise<readonly LoginRow[]>
  /** Whether there was one. */
  removeLogin(id: string): Promise<boolean>
}

interface NewLogin {
  readonly id: string
  readonly secret_hash: string
  readonly user_agent: string | null
  readonly validMs: number
}

export interface LoginRow {
  readonly id: string
  readonly secret_hash: string
  readonly user_agent: string | null
  readonly created_at: number
  readonly expires_at: number
}

/** What makes a door one of several. */
export interface SharedStore {
  readonly rows: CredentialRows
  /** Of this data folder. */
  readonly workerId: string
}
