import type { RouteConfig, RouteHandler } from '@hono/zod-openapi'
import type { Context, Handler } from 'hono'
import type { z } from 'zod'
import type { Grant } from '../tasks/index.ts'
import type { ApiApp, ApiEnv } from './api-env.ts'
import type { AppOptions, OfferedService } from './api-options.ts'
import type { Gatekeeper } from './auth/gatekeeper.ts'
import type { NamedTokens } from './auth/named-tokens.ts'
import { ErrorBody } from './contract.ts'
import type { RateLimit } from './door/rate-limit.ts'
import { DoorError } from './door-error.ts'
import { serviceFor } from './service-for.ts'
import type { OpenStreams } from './stream/open-streams.ts'

/** What routes work with. */
export interface RouteParts extends AppOptions {
  readonly streams: OpenStreams
  readonly gatekeeper: Gatekeeper
  /** null: this service has none. */
  readonly named: NamedTokens | null
  /** By credential, and by address for those that were not let in. */
  readonly rates: RateLimit
}

type InputOf<R extends RouteConfig> =
  RouteHandler<R, ApiEnv> extends Handler<ApiEnv, string, infer I> ? I : never

type Answer = Response | Promise<Response>

/**
 * Adds a route whose input is typed by its schemas, for the owner and browsers: named tokens are refused. What it answers is
 * proven in `contract/agreement.test.ts`.
 */
export function addRoute<R extends RouteConfig>(
  app: ApiApp,
  route: R,
  handler: Handler<ApiEnv, string, InputOf<R>, Answer>,
): void {
  const owners: typeof handler = (c, next) => {
    refuseNamed(c.get('credential')?.grant ?? null, route)
    return handler(c, next)
  }
  app.openapi({ operationId: operationId(route), ...route }, owners as never)
}

/** For named tokens too: a handler is given the task service as its caller may use it. */
export function routesForAll(app: ApiApp, service: OfferedService) {
  return <R extends RouteConfig>(
    route: R,
    handler: (c: Context<ApiEnv, string, InputOf<R>>, service: OfferedService) => Answer,
  ): void => {
    const bounded: Handler<ApiEnv, string, InputOf<R>, Answer> = (c) => handler(c, serviceFor(c, service))
    app.openapi({ operationId: operationId(route), ...route }, bounded as never)
  }
}

function refuseNamed(grant: Grant | null, { method, path }: RouteConfig): void {
  if (grant === null) return
  throw new DoorError(
    'not-permitted',
    `a named token such as ${grant.name} can never do this (${method} ${path}): use the owner's token or the console`,
    { details: { token: grant.name, needs: 'owner' } },
  )
}

/** For programs that write clients: `get /v1/tasks/{id}/events` is `getTasksByIdEvents`. */
function operationId({ method, path }: RouteConfig): string {
  const words = path
    .split(/[/-]/)
    .filter((part) => part !== '' && part !== 'v1')
    .map((part) => (part.startsWith('{') ? `By${capital(part.slice(1, -1))}` : capital(part)))
  return `${method}${words.join('')}`
}

function capital(word: string): string {
  return word[0]!.toUpperCase() + word.slice(1)
}

/** The answers of a route: this on success, an error otherwise. */
export function answers<T extends z.ZodType>(schema: T, description: string, status: 200 | 201 | 202 = 200) {
  return {
    [status]: { description, content: { 'application/json': { schema } } },
    default: REFUSED,
  }
}

export const REFUSED = {
  description: 'Refused: the code says why.',
  content: { 'application/json': { schema: ErrorBody } },
}

export function jsonBody<T extends z.ZodType>(schema: T) {
  return { required: true, content: { 'application/json': { schema } } }
}

/** A body that may be left out. */
export function optionalJsonBody<T extends z.ZodType>(schema: T) {
  return { required: false, content: { 'application/json': { schema } } }
}
