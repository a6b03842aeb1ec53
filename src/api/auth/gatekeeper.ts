// Who is let in, and as whom: the token, or the cookie of a browser that came by a link.
import type { Context } from 'hono'
import { getCookie } from 'hono/cookie'
import { redact } from '../../codex/index.ts'
import type { ApiEnv } from '../api-env.ts'
import { DoorError } from '../door-error.ts'
import type { Credential } from './credential.ts'
import type { Attempt, Credentials } from './credentials.ts'

export const COOKIE = 'drawbridge'
const ACTOR = /^[^\p{C}\s](?:[^\p{C}\p{Zl}\p{Zp}]{0,78}[^\p{C}\s])?$/u

export class Gatekeeper {
  readonly #credentials: Credentials

  constructor(credentials: Credentials) {
    this.#credentials = credentials
  }

  /**
   * Rejects with `unauthorized` for everyone else, and with `database-unreachable` when it cannot be known. A token that is
   * given must be right, whatever the cookie is.
   */
  async identify(c: Context<ApiEnv>, attempt: Attempt): Promise<Credential> {
    const authorization = c.req.header('authorization')
    const credential = await (authorization === undefined
      ? this.#byCookie(getCookie(c, COOKIE), attempt)
      : this.#byToken(authorization, c, attempt))
    if (credential) return credential
    throw new DoorError('unauthorized', 'this needs a token, or a browser that was let in by a link', {
      headers: { 'www-authenticate': 'Bearer realm="drawbridge"' },
    })
  }

  async #byToken(authorization: string, c: Context<ApiEnv>, attempt: Attempt): Promise<Credential | null> {
    const given = /^bearer +(\S+)$/i.exec(authorization)?.[1]
    if (given === undefined) return null
    const id = await this.#credentials.findToken(given, attempt)
    if (id === null) return null
    const actor = actorIn(c.req.header('drawbridge-actor'))
    const caller = `${c.env?.incoming?.socket?.remoteAddress ?? ''} ${actor}`
    return { kind: 'token', id, caller, actor, grant: null, check: () => this.#credentials.checkToken(given) }
  }

  async #byCookie(cookie: string | undefined, attempt: Attempt): Promise<Credential | null> {
    const login = cookie === undefined ? null : await this.#credentials.findLogin(cookie, attempt)
    if (!login) return null
    const { id } = login
    const check = () => this.#credentials.checkLogin(id)
    return { kind: 'login', id, caller: id, actor: 'console', grant: null, check }
  }
}

function actorIn(header: string | undefined): string {
  if (header === undefined) return 'api'
  const actor = decoded(header)
  if (!/^[\x20-\x7e]+$/.test(header) || !ACTOR.test(actor))
    throw new DoorError(
      'bad-request',
      'Drawbridge-Actor must be 1 to 80 printable characters, those outside ASCII percent-encoded',
    )
  return `api:${redact(actor)}`
}

/** As it is, where it is not percent-encoded UTF-8. */
function decoded(header: string): string {
  try {
    return decodeURIComponent(header)
  } catch {
    return header
  }
}
