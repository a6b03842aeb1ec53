// MCP at /mcp. What it says is the concern of the door that was given; who may ask is ours.
import { type ApiApp, callerOf, credentialOf } from '../api-env.ts'
import { DoorError } from '../door-error.ts'
import type { RouteParts } from '../route-parts.ts'
import { serviceFor } from '../service-for.ts'

export function addMcpRoute(app: ApiApp, { mcp, service, streams }: RouteParts): void {
  app.on(['GET', 'POST', 'DELETE'], '/mcp', (c) => {
    // A page in a browser that was let in must not reach tools.
    const credential = credentialOf(c)
    if (credential.kind !== 'token') throw new DoorError('token-required', 'MCP needs a token')
    if (mcp === null) throw new DoorError('not-supported', 'this service does not speak MCP')
    const { actor, grant } = callerOf(c)
    return mcp(c.req.raw, {
      service: serviceFor(c, service),
      by: { actor, grant },
      scope: grant?.name ?? credential.id,
      hold: (close) => streams.enter(credential, 'wait', close),
    })
  })
}
