// MCP at /mcp. What it says is the concern of the door that was given; who may ask is ours.
import { type ApiApp, credentialOf } from '../api-env.ts'
import { DoorError } from '../door-error.ts'
import type { RouteParts } from '../route-parts.ts'
import { tokenOnly } from './token-only.ts'

export function addMcpRoute(app: ApiApp, { mcp, service, streams }: RouteParts): void {
  app.on(['GET', 'POST', 'DELETE'], '/mcp', (c) => {
    // A page in a browser that was let in must not reach tools.
    tokenOnly(c)
    if (mcp === null) throw new DoorError('not-supported', 'this service does not speak MCP')
    const credential = credentialOf(c)
    return mcp(c.req.raw, {
      service,
      by: { actor: credential.actor },
      scope: credential.id,
      hold: (close) => streams.enter(credential, 'wait', close),
    })
  })
}
