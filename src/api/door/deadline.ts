import type { MiddlewareHandler } from 'hono'
import type { ApiEnv } from '../api-env.ts'
import { DoorError } from '../door-error.ts'

/** These answer when there is something to say, or when all that is sent has arrived. */
const WAITING =
  /^(?:\/mcp|\/v1\/(?:stream|snapshots(?:\/[^/]+\/(?:file|restore))?|tasks\/[^/]+\/(?:wait|uploads|snapshots|events(?:\/stream)?)))$/

/** Nobody waits for an answer longer than this. What was asked for may still be done. */
export function deadline(requestMs: number): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    if (WAITING.test(c.req.path)) return next()
    const { promise, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => reject(new DoorError('deadline', `no answer within ${requestMs} ms; it may still be done`)),
      requestMs,
    )
    await Promise.race([next(), promise]).finally(() => clearTimeout(timer))
  }
}
