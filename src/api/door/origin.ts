// Other sites must not act through a browser that was let in: neither by forms nor by JSON, nor from another port of
// this machine, which is the same site to a browser.
import type { Context, MiddlewareHandler } from 'hono'
import type { ApiEnv } from '../api-env.ts'
import { DoorError } from '../door-error.ts'

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

export const ownOrigin: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const isApi = c.req.path.startsWith('/v1')
  if ((isApi || !SAFE.has(c.req.method)) && isForeign(c))
    throw new DoorError('foreign-origin', 'another site may not do this')
  await next()
}

function isForeign(c: Context<ApiEnv>): boolean {
  const site = c.req.header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  const origin = c.req.header('origin')
  return origin !== undefined && !isOwn(origin, new URL(c.req.url))
}

/** A proxy in front may have taken off TLS. */
function isOwn(origin: string, { host, protocol }: URL): boolean {
  if (!URL.canParse(origin)) return false
  const own = new URL(origin)
  return own.host === host && (own.protocol === protocol || own.protocol === 'https:')
}
