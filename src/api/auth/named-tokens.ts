// Tokens with a name and limits. They are kept in the store, as digests: good at all of its doors, revoked at all of them.
import { randomBytes, randomUUID } from 'node:crypto'
import { registerSecrets } from '../../codex/index.ts'
import type { Grant } from '../../tasks/index.ts'
import { type AddedToken, type AddToken, type Token, TokenScope } from '../contract.ts'
import { DoorError } from '../door-error.ts'
import type { Standing } from './credential.ts'
import type { Attempt } from './credentials.ts'
import { digestOf, isSameText } from './digest.ts'
import { Lookups } from './lookups.ts'
import { ReachDatabase } from './reach-database.ts'
import type { StoredToken, TokenRows } from './token-rows.ts'

/** What tells them from an owner's token, and lets scanners find one that has leaked. */
const PREFIX = 'dbt_'
const SECRET = /^dbt_[\w-]{43}$/
/** A database that is restarted ends no streams. */
const UNCHECKED_MS = 10_000

export interface NamedTokensOptions {
  readonly rows: TokenRows
  readonly now: () => number
  /** Why the database does not answer, once until it does. */
  readonly onError: (error: unknown) => void
}

/** Rejects with `database-unreachable` when it cannot be known which tokens count. */
export class NamedTokens {
  readonly #rows: TokenRows
  readonly #now: () => number
  readonly #database: ReachDatabase
  readonly #byHash: Lookups<StoredToken>
  readonly #byId: Lookups<StoredToken>
  /** Digests of tokens that are masked wherever this process shows them. */
  readonly #masked = new Set<string>()

  constructor({ rows, now, onError }: NamedTokensOptions) {
    this.#rows = rows
    this.#now = now
    this.#database = new ReachDatabase(onError)
    this.#byHash = new Lookups({ search: (hash) => this.#ask(() => rows.valid({ hash })), now })
    this.#byId = new Lookups({ search: (id) => this.#ask(() => rows.valid({ id })), now })
  }

  /** null: it is not one of these, or does not count. */
  async find(given: string, attempt: Attempt): Promise<Grant | null> {
    if (!SECRET.test(given)) return null
    const hash = digestOf(given)
    const row = await this.#byHash.find(hash, () => attempt.count())
    if (!row || !isSameText(row.hash, hash)) return null
    this.#mask(given, hash)
    return this.#used(row)
  }

  /** For those who may act as any of them. null: there is none of this name that counts. */
  async named(name: string): Promise<Grant | null> {
    const row = await this.#ask(() => this.#rows.valid({ name }))
    return row && this.#used(row)
  }

  /** For a token that was let in. Never rejects. */
  async check(id: string): Promise<Standing> {
    try {
      return (await this.#byId.search(id)) === null ? 'revoked' : 'valid'
    } catch {
      return this.#byId.isWithin(id, UNCHECKED_MS) ? 'valid' : 'unknown'
    }
  }

  /** Rejects with `name-taken`. The secret is known to the caller alone from then on. */
  async add(request: AddToken, { by }: { by: string }): Promise<AddedToken> {
    const { name, expiresAt = null } = request
    if (expiresAt !== null && expiresAt <= this.#now())
      throw new DoorError('bad-request', 'expiresAt: that time is over')
    const secret = `${PREFIX}${randomBytes(32).toString('base64url')}`
    const hash = digestOf(secret)
    this.#mask(secret, hash)
    const row = await this.#ask(() =>
      this.#rows.insert({
        ...{ id: randomUUID(), name, hash, created_by: by, expires_at: expiresAt },
        scope: JSON.stringify(scopeOf(request)),
      }),
    )
    if (!row)
      throw new DoorError('name-taken', `there is a token ${name} already: revoke it, or take another name`)
    return { token: this.#shown(row), secret }
  }

  async list(): Promise<Token[]> {
    return (await this.#ask(() => this.#rows.all())).map((row) => this.#shown(row))
  }

  /** By name or id. null: there is none, or it is revoked already. */
  async revoke(named: string, { by }: { by: string }): Promise<Token | null> {
    const row = await this.#ask(() => this.#rows.revoke(named, { by }))
    if (!row) return null
    this.#byHash.forget(row.hash)
    this.#byId.forget(row.id)
    return this.#shown(row)
  }

  #used(row: StoredToken): Grant | null {
    const scope = readScope(row)
    if (scope === null) return null
    const isNew = row.used_at === null || this.#now() - row.used_at > 60_000
    // It says only how old the last use is; a request does not wait for it.
    if (isNew) void this.#ask(() => this.#rows.used(row.id)).catch(() => undefined)
    return { tokenId: row.id, name: row.name, ...scope }
  }

  #shown(row: StoredToken): Token {
    const scope = readScope(row)
    return {
      id: row.id,
      name: row.name,
      scope,
      createdAt: row.created_at,
      createdBy: row.created_by,
      usedAt: row.used_at,
      expiresAt: row.expires_at,
      revokedAt: row.revoked_at,
      revokedBy: row.revoked_by,
      state: stateOf(row, { now: this.#now(), isReadable: scope !== null }),
    }
  }

  #ask<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    return this.#database.ask(question)
  }

  #mask(secret: string, hash: string): void {
    if (this.#masked.has(hash)) return
    this.#masked.add(hash)
    registerSecrets([secret])
  }
}

function scopeOf({ tasks = 'own', may = ['read', 'start'], ceiling = {} }: AddToken): TokenScope {
  return {
    tasks,
    may: [...new Set(may)],
    ceiling: {
      sandbox: ceiling.sandbox ?? 'read-only',
      preset: ceiling.preset ?? 'ask-all',
      network: ceiling.network ?? false,
      folders: ceiling.folders ?? null,
      // Left out when there are none: a service of an earlier version does not know them, and would let nobody in.
      ...(ceiling.hosts?.length && { hosts: ceiling.hosts }),
      ...(ceiling.accounts?.length && { accounts: ceiling.accounts }),
    },
  }
}

/** null: it was written by a later version, or is damaged. Then nobody can say what it may do. */
function readScope({ scope }: StoredToken): TokenScope | null {
  try {
    return TokenScope.parse(JSON.parse(scope))
  } catch {
    return null
  }
}

function stateOf(
  { revoked_at, expires_at }: StoredToken,
  { now, isReadable }: { now: number; isReadable: boolean },
): Token['state'] {
  if (revoked_at !== null) return 'revoked'
  if (expires_at !== null && expires_at <= now) return 'expired'
  return isReadable ? 'valid' : 'unreadable'
}
