// Who is let in, and as whom: the owner's token, a named one, or the cookie of a browser that came by a link.
import type { Context } from 'hono'
import { getCookie } from 'hono/cookie'
import { redact } from '../../codex/index.ts'
import type { Grant } from '../../tasks/index.ts'
import type { ApiEnv } from '../api-env.ts'
import { DoorError } from '../door-error.ts'
import type { Credential } from './credential.ts'
import type { Attempt, Credentials } from './credentials.ts'
import type { NamedTokens } from './named-tokens.ts'

export const COOKIE = 'drawbridge'
const ACTOR = /^[^\p{C}\s](?:[^\p{C}\p{Zl}\p{Zp}]{0,78}[^\p{C}\s])?$/u

export class Gatekeeper {
  readonly #credentials: Credentials
  readonly #named: NamedTokens | null

  constructor(credentials: Credentials, named: NamedTokens | null) {
    this.#credentials = credentials
    this.#named = named
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
    if (credential) return this.#actingAs(c.req.header('drawbridge-as'), credential)
    throw new DoorError('unauthorized', 'this needs a token, or a browser that was let in by a link', {
      headers: { 'www-authenticate': 'Bearer realm="drawbridge"' },
    })
  }

  async #byToken(authorization: string, c: Context<ApiEnv>, attempt: Attempt): Promise<Credential | null> {
    const given = /^bearer +(\S+)$/i.exec(authorization)?.[1]
    if (given === undefined) return null
    const actor = actorIn(c.req.header('drawbridge-actor'))
    const caller = `${c.env?.incoming?.socket?.remoteAddress ?? ''} ${actor}`
    const grant = await this.#named?.find(given, attempt)
    if (grant) return this.#withGrant(grant, caller)
    const id = await this.#credentials.findToken(given, attempt)
    if (id === null) return null
    return { kind: 'token', id, caller, actor, grant: null, check: () => this.#credentials.checkToken(given) }
  }

  /** Whoever has the owner's token may be held to what a named one may do. */
  async #actingAs(name: string | undefined, owner: Credential): Promise<Credential> {
    if (name === undefined || name === owner.grant?.name) return owner
    if (owner.kind !== 'token' || owner.grant !== null)
      throw new DoorError('not-permitted', "Drawbridge-As needs the owner's token")
    const grant = await this.#named?.named(name)
    if (!grant)
      throw new DoorError(
        'not-permitted',
        `Drawbridge-As: there is no token of that name, or it was revoked`,
        {
          details: { needs: 'drawbridge token add' },
        },
      )
    const acting = this.#withGrant(grant, owner.caller)
    const check = async () => {
      const standing = await owner.check()
      return standing === 'valid' ? acting.check() : standing
    }
    return { ...acting, check }
  }

  #withGrant(grant: Grant, caller: string): Credential {
    const { tokenId: id, name } = grant
    const check = async () => (await this.#named?.check(id)) ?? 'revoked'
    return { kind: 'token', id, caller, actor: `token:${name}`, grant, check }
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
