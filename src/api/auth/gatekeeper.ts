// Who is let in, and as whom: the token, or the cookie of a browser that came by a link.
import type { Context } from 'hono'
import { getCookie } from 'hono/cookie'
import { redact } from '../../codex/index.ts'
import type { ApiEnv } from '../api-env.ts'
import { DoorError } from '../door-error.ts'
import type { Credential } from './credential.ts'
import { Logins } from './logins.ts'
import { CurrentToken } from './token.ts'

export const COOKIE = 'drawbridge'
const ACTOR = /^[^\p{C}\s](?:[^\p{C}\p{Zl}\p{Zp}]{0,78}[^\p{C}\s])?$/u

export class Gatekeeper {
  readonly logins: Logins
  readonly #token: CurrentToken

  constructor({ dataDir, now }: { dataDir: string; now: () => number }) {
    this.#token = new CurrentToken(dataDir)
    this.logins = new Logins(dataDir, { token: this.#token, now })
  }

  /** Throws `unauthorized` for everyone else. A token that is given must be right, whatever the cookie is. */
  identify(c: Context<ApiEnv>): Credential {
    const authorization = c.req.header('authorization')
    const credential =
      authorization === undefined ? this.#byCookie(getCookie(c, COOKIE)) : this.#byToken(authorization, c)
    if (credential) return credential
    throw new DoorError('unauthorized', 'this needs a token, or a browser that was let in by a link', {
      headers: { 'www-authenticate': 'Bearer realm="drawbridge"' },
    })
  }

  /** Changes with the token. */
  tokenMark(): string {
    return this.#token.mark()
  }

  #byToken(authorization: string, c: Context<ApiEnv>): Credential | null {
    const given = /^bearer +(\S+)$/i.exec(authorization)?.[1]
    if (given === undefined || !this.#token.matches(given)) return null
    const actor = actorIn(c.req.header('drawbridge-actor'))
    const caller = `${c.env?.incoming?.socket?.remoteAddress ?? ''} ${actor}`
    return { kind: 'token', id: 'token', caller, actor, isValid: () => this.#token.matches(given) }
  }

  #byCookie(cookie: string | undefined): Credential | null {
    const login = cookie === undefined ? null : this.logins.find(cookie)
    if (!login) return null
    const { id } = login
    return { kind: 'login', id, caller: id, actor: 'console', isValid: () => this.logins.stands(id) }
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
