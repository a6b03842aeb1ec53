// How a browser is let in without ever seeing the token: a link that works once, and a cookie.
import { createRoute } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { deleteCookie, setCookie } from 'hono/cookie'
import { z } from 'zod'
import { type ApiApp, type ApiEnv, credentialOf } from '../api-env.ts'
import { LOGIN_MS } from '../auth/credentials.ts'
import { COOKIE } from '../auth/gatekeeper.ts'
import { messagePage } from '../console/message-page.ts'
import { LoginLink, LoginList } from '../contract.ts'
import { AddressAttempt } from '../door/address-attempt.ts'
import { DoorError } from '../door-error.ts'
import { addRoute, answers, REFUSED, type RouteParts } from '../route-parts.ts'
import { tokenOnly } from './token-only.ts'

const tags = ['logins']

const makeLink = createRoute({
  method: 'post',
  path: '/v1/login-links',
  tags,
  summary: 'A link that lets a browser in, once, within 10 minutes',
  description: 'With the token only.',
  responses: answers(LoginLink, 'Give it to nobody else.', 201),
})

const listLogins = createRoute({
  method: 'get',
  path: '/v1/logins',
  tags,
  summary: 'Browsers that were let in',
  responses: answers(LoginList, 'All of them.'),
})

const revokeLogin = createRoute({
  method: 'delete',
  path: '/v1/logins/{id}',
  tags,
  summary: 'Let a browser in no longer',
  request: { params: z.object({ id: z.string().min(1).max(200) }) },
  responses: { 204: { description: 'Revoked.' }, default: REFUSED },
})

const logout = createRoute({
  method: 'post',
  path: '/v1/logout',
  tags,
  summary: 'Let this browser in no longer',
  responses: { 204: { description: 'Revoked.' }, default: REFUSED },
})

export function addLoginRoutes(app: ApiApp, parts: RouteParts): void {
  const { credentials, streams } = parts
  app.get('/login', (c) => logIn(c, parts))
  addRoute(app, makeLink, async (c) => {
    tokenOnly(c)
    return c.json(await loginLink(parts, credentialOf(c).id), 201)
  })
  addRoute(app, listLogins, async (c) => {
    const { id: own } = credentialOf(c)
    const logins = await credentials.listLogins()
    const items = logins.map(({ id, createdAt, expiresAt, userAgent }) => ({
      id,
      createdAt,
      expiresAt,
      userAgent,
      isThis: id === own,
    }))
    return c.json({ items })
  })
  addRoute(app, revokeLogin, async (c) => {
    const wasThere = await credentials.revokeLogin(c.req.valid('param').id)
    if (!wasThere) throw new DoorError('not-found', 'no such login')
    await streams.closeRevoked()
    return c.body(null, 204)
  })
  addRoute(app, logout, async (c) => {
    const { kind, id } = credentialOf(c)
    if (kind === 'login') await credentials.revokeLogin(id)
    await streams.closeRevoked()
    deleteCookie(c, COOKIE, { path: '/' })
    return c.body(null, 204)
  })
}

/** It ends with this token. */
export async function loginLink(
  { credentials, publicUrl }: Pick<RouteParts, 'credentials' | 'publicUrl'>,
  tokenId: string,
): Promise<LoginLink> {
  const { code, expiresAt } = await credentials.makeCode(tokenId)
  return { url: `${publicUrl()}/login?code=${code}`, expiresAt }
}

async function logIn(c: Context<ApiEnv>, parts: RouteParts): Promise<Response> {
  // A browser that fetches ahead, or a program that only looks, must not use the link up.
  if (c.req.method !== 'GET' || c.req.header('sec-purpose')?.includes('prefetch')) return c.body(null, 204)
  const { credentials, publicUrl, rates } = parts
  const attempt = new AddressAttempt(c, rates)
  const userAgent = c.req.header('user-agent') ?? null
  const redeemed = credentials.redeemCode(c.req.query('code') ?? '', { userAgent, attempt })
  const cookie = await redeemed.catch((error: unknown) => {
    attempt.failed(error)
    throw error
  })
  if (cookie === null) return refusedLink(c, credentials)
  attempt.succeeded()
  setCookie(c, COOKIE, cookie, {
    path: '/',
    httpOnly: true,
    sameSite: 'Strict',
    secure: isOverTls(new URL(c.req.url), publicUrl()),
    maxAge: LOGIN_MS / 1000,
  })
  return c.redirect('/', 303)
}

function refusedLink(c: Context<ApiEnv>, { areLinksKept }: RouteParts['credentials']): Response {
  const until = areLinksKept ? 'until there is a new token' : 'until the service is restarted'
  return messagePage(c, 403, {
    title: 'This link does not work any more',
    text: `A login link works once, within ten minutes, ${until}.`,
    command: 'drawbridge login-link',
  })
}

/** As far as the browser is concerned: a proxy in front may have taken TLS off, and is known by the name it passes on. */
function isOverTls({ protocol, host }: URL, publicUrl: string): boolean {
  if (protocol === 'https:') return true
  const shown = new URL(publicUrl)
  return shown.protocol === 'https:' && shown.host === host
}
