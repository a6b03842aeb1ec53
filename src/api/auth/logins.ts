// Browsers that were let in by a link. The cookie is signed with a key made from the token, and its id is in the list.
import { createHmac, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { LOGIN_MS, shortUserAgent } from './credentials.ts'
import { isSameText } from './digest.ts'
import { writePrivateFile } from './private-file.ts'
import type { CurrentToken } from './token.ts'

const MAX_LOGINS = 200

const StoredLogin = z.object({
  id: z.string(),
  createdAt: z.number(),
  expiresAt: z.number(),
  userAgent: z.string().nullable(),
  /** Which token it belongs to, without telling the token. */
  mark: z.string(),
})
type StoredLogin = z.infer<typeof StoredLogin>

export class Logins {
  readonly #file: string
  readonly #token: CurrentToken
  readonly #now: () => number
  readonly #logins: Map<string, StoredLogin>

  constructor(dataDir: string, { token, now }: { token: CurrentToken; now: () => number }) {
    this.#file = path.join(dataDir, 'logins.json')
    this.#token = token
    this.#now = now
    this.#logins = new Map(readLogins(this.#file).map((login) => [login.id, login]))
  }

  /** Those that are still let in, oldest first. */
  list(): StoredLogin[] {
    return [...this.#logins.values()].filter((login) => this.#stands(login))
  }

  /** Lets a browser in. Returns the cookie's value; null without a token to sign it with. */
  add(userAgent: string | null): string | null {
    const createdAt = this.#now()
    const login: StoredLogin = {
      id: randomBytes(16).toString('base64url'),
      createdAt,
      expiresAt: createdAt + LOGIN_MS,
      userAgent: shortUserAgent(userAgent),
      mark: this.#token.mark(),
    }
    const cookie = this.#signed(login)
    if (cookie === null) return null
    this.#logins.set(login.id, login)
    this.#save()
    return cookie
  }

  /** The login a cookie stands for; null when it is forged, expired or revoked. */
  find(cookie: string): StoredLogin | null {
    const login = this.#logins.get(cookie.slice(0, cookie.indexOf('.')))
    if (!login || !this.#stands(login)) return null
    const expected = this.#signed(login)
    return expected !== null && isSameText(cookie, expected) ? login : null
  }

  stands(id: string): boolean {
    const login = this.#logins.get(id)
    return login !== undefined && this.#stands(login)
  }

  /** Whether there was one. */
  revoke(id: string): boolean {
    const was = this.stands(id)
    if (this.#logins.delete(id)) this.#save()
    return was
  }

  #stands({ expiresAt, mark }: StoredLogin): boolean {
    return expiresAt > this.#now() && mark === this.#token.mark()
  }

  #signed({ id, expiresAt }: StoredLogin): string | null {
    const key = this.#token.keyFor('login cookie')
    if (key === null) return null
    const text = `${id}.${expiresAt}`
    return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
  }

  #save(): void {
    for (const { id } of [...this.#logins.values()].filter((login) => !this.#stands(login)))
      this.#logins.delete(id)
    for (const id of [...this.#logins.keys()].slice(0, -MAX_LOGINS)) this.#logins.delete(id)
    writePrivateFile(this.#file, `${JSON.stringify([...this.#logins.values()])}\n`)
  }
}

/** A list that cannot be read lets nobody in. */
function readLogins(file: string): StoredLogin[] {
  try {
    return z.array(StoredLogin).parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return []
  }
}
