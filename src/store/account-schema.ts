/** A codex login that tasks borrow. Lease times are the database's. */
export interface AccountRow {
  id: string
  name: string
  /** `chatgpt`, `apikey` or `access-token`. */
  kind: string
  /** JSON: an array of words. */
  pools: string
  /** `active`; `disabled`: by a person; `dead`: the login is refused for good. */
  state: string
  /** JSON: why it is not active. */
  state_reason: string | null
  /** The login, sealed with a key that is not in the store. */
  login: string
  /** Grows with every login that is saved; part of what the seal covers. */
  login_version: number
  /** SHA-256 of the provider's id of the account, to find the same login twice; null where there is none. */
  identity: string | null
  /** The worker that uses the login; null: nobody does. */
  lease_holder: string | null
  /** Grows with every lease. A holder that has an older one has lost it. */
  lease_generation: number
  lease_until: number | null
  used_at: number | null
  /** When the usage limit that was hit ends. */
  limited_until: number | null
  /** JSON: what the last check saw. */
  facts: string | null
  /** So much of each window is left to people. */
  reserve_percent: number
  on_limit: string
  created_at: number
  created_by: string
}

/** What a person has said of a pool; a pool without a row has the defaults. */
export interface AccountPoolRow {
  name: string
  /** `park` or `switch`; null: as each account says. */
  on_limit: string | null
  /** `same`: its tasks stay with one way of billing; `any`: they may go from a plan to an API key and back. */
  billing: string
  changed_at: number
  changed_by: string
}
