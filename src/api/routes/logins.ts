// How a browser is let in without ever seeing the token: a link that works once, and a cookie.
import { createRoute } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { deleteCookie, setCookie } from 'hono/cookie'
import { z } from 'zod'
import { type ApiApp, type ApiEnv, credentialOf } from '../api-env.ts'
import { COOKIE } from '../auth/gatekeeper.ts'
import { LOGIN_DAYS } from '../auth/logins.ts'
import { messagePage } from '../console/message-page.ts'
import { LoginLink, LoginList } from '../contract.ts'
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
  const { gatekeeper, streams } = parts
  app.get('/login', (c) => logIn(c, parts))
  addRoute(app, makeLink, (c) => {
    tokenOnly(c)
    return c.json(loginLink(parts), 201)
  })
  addRoute(app, listLogins, (c) => {
    const { id: own } = credentialOf(c)
    const items = gatekeeper.logins
      .list()
      .map(({ mark: _, ...login }) => ({ ...login, isThis: login.id === own }))
    return c.json({ items })
  })
  addRoute(app, revokeLogin, (c) => {
    if (!gatekeeper.logins.revoke(c.req.valid('param').id)) throw new DoorError('not-found', 'no such login')
    streams.closeRevoked()
    return c.body(null, 204)
  })
  addRoute(app, logout, (c) => {
    const { kind, id } = credentialOf(c)
    if (kind === 'login') gatekeeper.logins.revoke(id)
    streams.closeRevoked()
    deleteCookie(c, COOKIE, { path: '/' })
    return c.body(null, 204)
  })
}

export function loginLink({
  loginCodes,
  publicUrl,
}: Pick<RouteParts, 'loginCodes' | 'publicUrl'>): LoginLink {
  const { code, expiresAt } = loginCodes.make()
  return { url: `${publicUrl()}/login?code=${code}`, expiresAt }
}

function logIn(c: Context<ApiEnv>, { gatekeeper, loginCodes, publicUrl }: RouteParts): Response {
  // A browser that fetches ahead, or a program that only looks, must not use the link up.
  if (c.req.method !== 'GET' || c.req.header('sec-purpose')?.includes('prefetch')) return c.body(null, 204)
  const isValid = loginCodes.take(c.req.query('code') ?? '')
  const cookie = isValid ? gatekeeper.logins.add(c.req.header('user-agent') ?? null) : null
  if (cookie === null)
    return messagePage(c, 403, {
      title: 'This link does not work any more',
      text: 'A login link works once, within ten minutes, until the service is restarted.',
      command: 'drawbridge login-link',
    })
  setCookie(c, COOKIE, cookie, {
    path: '/',
    httpOnly: true,
    sameSite: 'Strict',
    secure: isOverTls(new URL(c.req.url), publicUrl()),
    maxAge: LOGIN_DAYS * 24 * 3600,
  })
  return c.redirect('/', 303)
}

/** As far as the browser is concerned: a proxy in front may have taken TLS off, and is known by the name it passes on. */
function isOverTls({ protocol, host }: URL, publicUrl: string): boolean {
  if (protocol === 'https:') return true
  const shown = new URL(publicUrl)
  return shown.protocol === 'https:' && shown.host === host
}
