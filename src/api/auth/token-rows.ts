/** Where named tokens are kept, as the composition root makes it of the database. It is given digests only. */
export interface TokenRows {
  /** null: the name is in use. */
  insert(token: {
    readonly id: string
    readonly name: string
    readonly hash: string
    readonly scope: string
    readonly created_by: string
    readonly expires_at: number | null
  }): Promise<StoredToken | null>
  /** null unless it counts now. */
  valid(
    by: { readonly hash: string } | { readonly name: string } | { readonly id: string },
  ): Promise<StoredToken | null>
  /** Newest first, those included that no longer count. */
  all(): Promise<readonly StoredToken[]>
  /** By name or id. null: there is none that is not revoked already. */
  revoke(named: string, options: { readonly by: string }): Promise<StoredToken | null>
  /** It was used just now. */
  used(id: string): Promise<void>
}

export interface StoredToken {
  readonly id: string
  readonly name: string
  readonly hash: string
  /** JSON of a `TokenScope`. */
  readonly scope: string
  readonly created_at: number
  readonly created_by: string
  readonly used_at: number | null
  readonly expires_at: number | null
  readonly revoked_at: number | null
  readonly revoked_by: string | null
}
