// Several doors on one store. A token is good at all of them, and so are logins and links; the store has only digests.
import { randomBytes } from 'node:crypto'
import { registerSecrets } from '../../codex/index.ts'
import type { Standing } from './credential.ts'
import type { LoginRow, SharedStore } from './credential-rows.ts'
import {
  type Attempt,
  CODE_MS,
  type Credentials,
  type KnownLogin,
  LOGIN_MS,
  OWN_TOKEN,
  shortUserAgent,
} from './credentials.ts'
import { digestOf, isSameText } from './digest.ts'
import { Lookups } from './lookups.ts'
import { PublishedToken } from './published-token.ts'
import { ReachDatabase } from './reach-database.ts'
import { CurrentToken, TOKEN } from './token.ts'

export interface SharedCredentialsOptions extends SharedStore {
  readonly dataDir: string
  readonly now: () => number
  /** Why the database does not answer, once until it does. */
  readonly onError: (error: unknown) => void
}

const COOKIE = /^([\w-]{22})\.([\w-]{43})$/
const CODE = /^[\w-]{43}$/
/** A database that is restarted ends no streams. What is not stored is not streamed, so little can be seen meanwhile. */
const UNCHECKED_MS = 10_000

export class SharedCredentials implements Credentials {
  readonly areLinksKept = true
  readonly #options: SharedCredentialsOptions
  readonly #own: CurrentToken
  readonly #published: PublishedToken
  readonly #database: ReachDatabase
  readonly #tokens: Lookups<{ readonly id: string; readonly hash: string }>
  readonly #logins: Lookups<LoginRow>
  /** Digests of tokens that are masked wherever this process shows them. */
  readonly #masked = new Set<string>()

  constructor(options: SharedCredentialsOptions) {
    const { rows, workerId, now, dataDir } = options
    this.#options = options
    this.#own = new CurrentToken(dataDir)
    this.#database = new ReachDatabase(options.onError)
    const search = (hash: string) => this.#ask(() => rows.tokenByHash({ hash, exceptWorkerId: workerId }))
    this.#tokens = new Lookups({ search, now })
    this.#logins = new Lookups({ search: (id) => this.#ask(() => rows.login(id)), now })
    this.#published = new PublishedToken({
      ...options,
      token: this.#own,
      database: this.#database,
      onChange: () => this.#logins.forgetAll(),
    })
  }

  /** Resolves when the other doors know this one's token. */
  async publish(): Promise<void> {
    await this.#published.id()
  }

  async findToken(given: string, attempt: Attempt): Promise<string | null> {
    if (this.#own.matches(given)) return OWN_TOKEN
    if (!TOKEN.test(given)) return null
    const hash = digestOf(given)
    const found = await this.#tokens.find(hash, () => attempt.count())
    if (!found || !isSameText(found.hash, hash)) return null
    this.#mask(given, hash)
    return found.id
  }

  async checkToken(given: string): Promise<Standing> {
    return this.#own.matches(given) ? 'valid' : check(this.#tokens, digestOf(given))
  }

  async findLogin(cookie: string, attempt: Attempt): Promise<KnownLogin | null> {
    const [, id, secret] = COOKIE.exec(cookie) ?? []
    if (id === undefined || secret === undefined) return null
    await this.#published.id()
    const row = await this.#logins.find(id, () => attempt.count())
    return row && isSameText(row.secret_hash, digestOf(secret)) ? knownLogin(row) : null
  }

  async checkLogin(id: string): Promise<Standing> {
    await this.#published.id().catch(() => undefined)
    return check(this.#logins, id)
  }

  async listLogins(): Promise<readonly KnownLogin[]> {
    await this.#published.id()
    return (await this.#ask(() => this.#options.rows.logins())).map(knownLogin)
  }

  async revokeLogin(id: string): Promise<boolean> {
    await this.#published.id()
    try {
      return await this.#ask(() => this.#options.rows.removeLogin(id))
    } finally {
      this.#logins.forget(id)
    }
  }

  async makeCode(tokenId: string): Promise<{ code: string; expiresAt: number }> {
    const own = await this.#published.id()
    const code = randomBytes(32).toString('base64url')
    const row = { hash: digestOf(code), tokenId: tokenId === OWN_TOKEN ? (own ?? '') : tokenId }
    const expiresAt = await this.#ask(() => this.#options.rows.insertCode({ ...row, validMs: CODE_MS }))
    return { code, expiresAt }
  }

  async redeemCode(
    code: string,
    { userAgent, attempt }: { userAgent: string | null; attempt: Attempt },
  ): Promise<string | null> {
    if (!CODE.test(code)) return null
    attempt.count()
    await this.#published.id()
    const id = randomBytes(16).toString('base64url')
    const secret = randomBytes(32).toString('base64url')
    const login = { id, secret_hash: digestOf(secret), user_agent: shortUserAgent(userAgent) }
    const isLetIn = await this.#ask(() =>
      this.#options.rows.redeemCode(digestOf(code), { ...login, validMs: LOGIN_MS }),
    )
    return isLetIn ? `${id}.${secret}` : null
  }

  close(): void {
    this.#published.close()
  }

  #ask<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    return this.#database.ask(question)
  }

  #mask(token: string, hash: string): void {
    if (this.#masked.has(hash)) return
    this.#masked.add(hash)
    registerSecrets([token])
  }
}

async function check<Found>(lookups: Lookups<Found>, key: string): Promise<Standing> {
  try {
    return (await lookups.search(key)) === null ? 'revoked' : 'valid'
  } catch {
    return lookups.isWithin(key, UNCHECKED_MS) ? 'valid' : 'unknown'
  }
}

function knownLogin({ id, created_at, expires_at, user_agent }: LoginRow): KnownLogin {
  return { id, createdAt: created_at, expiresAt: expires_at, userAgent: user_agent }
}
