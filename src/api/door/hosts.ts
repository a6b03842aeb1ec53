// The names under which the service may be asked. A page that points its own name at this machine (DNS rebinding) is
// told that this is not it.
import type { MiddlewareHandler } from 'hono'
import type { ApiEnv } from '../api-env.ts'
import { DoorError } from '../door-error.ts'

const UNKNOWN =
  'Drawbridge is not known under this name: start it with --allow-host <name>, or put the name into allowHosts of settings.json'
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

export function knownHosts(allowHosts: readonly string[]): MiddlewareHandler<ApiEnv> {
  const known = new Set([...LOOPBACK, ...allowHosts].map((host) => nameOf(host)))
  return async (c, next) => {
    // The address of the request has the name as well: it differs from the header when the whole URL was sent.
    const asked = [c.req.header('host') ?? '', new URL(c.req.url).host].filter((host) => host !== '')
    if (!asked.every((host) => known.has(nameOf(host)))) throw new DoorError('unknown-host', UNKNOWN)
    await next()
  }
}

export function isLoopback(host: string): boolean {
  return LOOPBACK.includes(host) || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

/** Without the port. */
function nameOf(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '')
}
