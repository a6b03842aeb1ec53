// Everything a request passes before a route sees it, in this order.
import { randomUUID } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { routePath } from 'hono/route'
import type { ApiApp, ApiEnv } from '../api-env.ts'
import { DoorError } from '../door-error.ts'
import { errorResponse } from '../error-response.ts'
import type { ApiMetrics } from '../metrics.ts'
import type { RouteParts } from '../route-parts.ts'
import { AddressAttempt } from './address-attempt.ts'
import { boundedJson } from './body.ts'
import { deadline } from './deadline.ts'
import { knownHosts } from './hosts.ts'
import { ownOrigin } from './origin.ts'
import { securityHeaders } from './security-headers.ts'

/** Whatever is behind these needs a credential. */
const GUARDED = ['/v1/*', '/mcp', '/metrics', '/openapi.json']

export function addDoor(app: ApiApp, parts: RouteParts): void {
  const { allowHosts, limits, metrics, onError } = parts
  app.use(numbered)
  app.use(securityHeaders)
  app.use(timed(metrics))
  app.use(knownHosts(allowHosts))
  app.use(ownOrigin)
  const authenticate = authenticated(parts)
  for (const path of GUARDED) app.use(path, authenticate)
  app.use(boundedJson(limits))
  app.use(deadline(limits.requestMs))
  app.use(
    methodNotAllowed({
      app,
      onMethodNotAllowed: (c, methods) => {
        const headers = { allow: methods.join(', ') }
        const error = new DoorError('method-not-allowed', `use ${methods.join(' or ')}`, { headers })
        return errorResponse(error, c, onError)
      },
    }),
  )
}

const numbered: MiddlewareHandler<ApiEnv> = async (c, next) => {
  c.set('requestId', randomUUID())
  await next()
}

function timed(metrics: ApiMetrics): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const startedAt = performance.now()
    await next()
    const { method } = c.req
    const seconds = (performance.now() - startedAt) / 1000
    metrics.httpAnswered({ method, route: routePath(c, -1), status: c.res.status, seconds })
  }
}

function authenticated({ gatekeeper, rates }: RouteParts): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const attempt = new AddressAttempt(c, rates)
    try {
      c.set('credential', await gatekeeper.identify(c, attempt))
      attempt.succeeded()
    } catch (error) {
      attempt.failed(error)
      throw error
    }
    rates.take(c.get('credential')!.id)
    await next()
  }
}
