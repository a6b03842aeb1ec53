import type { MiddlewareHandler } from 'hono'
import type { ApiEnv } from '../api-env.ts'

const NOTHING = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/** For pages: nothing from anywhere else, no inline script. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const ALWAYS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}

/** On every answer, refusals too. What a route has set itself stays. */
export const securityHeaders: MiddlewareHandler<ApiEnv> = async (c, next) => {
  await next()
  const { headers } = c.res
  for (const [name, value] of Object.entries(ALWAYS)) headers.set(name, value)
  headers.set('x-request-id', c.get('requestId'))
  if (!headers.has('content-security-policy')) headers.set('content-security-policy', NOTHING)
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
}
