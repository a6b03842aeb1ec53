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
import { boundedJson } from './body.ts'
import { deadline } from './deadline.ts'
import { knownHosts } from './hosts.ts'
import { ownOrigin } from './origin.ts'
import { RateLimit } from './rate-limit.ts'
import { securityHeaders } from './security-headers.ts'

/** Whatever is behind these needs a credential. */
const GUARDED = ['/v1/*', '/metrics', '/openapi.json']

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

function authenticated({ gatekeeper, limits, now }: RouteParts): MiddlewareHandler<ApiEnv> {
  const rates = new RateLimit({ burst: limits.burst, perSecond: limits.requestsPerSecond, now })
  return async (c, next) => {
    try {
      c.set('credential', gatekeeper.identify(c))
    } catch (error) {
      rates.take(`address ${c.env?.incoming?.socket.remoteAddress}`)
      throw error
    }
    rates.take(c.get('credential')!.id)
    await next()
  }
}
