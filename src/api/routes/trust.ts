// Which folders a person trusts. Trust is given to what was seen: its digest comes with the request.
import { createRoute } from '@hono/zod-openapi'
import { type ApiApp, callerOf } from '../api-env.ts'
import type { TrustDoor } from '../api-options.ts'
import { LookAtFolder, RevokeTrust, TrustedFolder, TrustFolder, TrustList, TrustLook } from '../contract.ts'
import { DoorError } from '../door-error.ts'
import { addRoute, answers, jsonBody, REFUSED, type RouteParts } from '../route-parts.ts'

const tags = ['trust']

const listTrust = createRoute({
  method: 'get',
  path: '/v1/trust',
  tags,
  summary: 'Trusted folders, and what untrusted ones cannot read',
  responses: answers(TrustList, 'As it is now.'),
})

const lookAtFolder = createRoute({
  method: 'post',
  path: '/v1/trust/look',
  tags,
  summary: 'Whether a folder is trusted, and what trust would start there',
  request: { body: jsonBody(LookAtFolder) },
  responses: answers(TrustLook, 'As it is on disk now. Nothing was changed or started.'),
})

const trustFolder = createRoute({
  method: 'post',
  path: '/v1/trust',
  tags,
  summary: 'Trust a folder',
  description:
    'Only what was seen: `digest` is that of the look. Is it another one now, the answer is 409 `trust-changed`, with the new look in `details`.',
  request: { body: jsonBody(TrustFolder) },
  responses: answers(TrustedFolder, 'Trusted, for new turns.'),
})

const revokeTrust = createRoute({
  method: 'post',
  path: '/v1/trust/revoke',
  tags,
  summary: 'Trust a folder no longer',
  request: { body: jsonBody(RevokeTrust) },
  responses: { 204: { description: 'It is untrusted from now on.' }, default: REFUSED },
})

export function addTrustRoutes(app: ApiApp, parts: RouteParts): void {
  const door = (): TrustDoor => {
    if (parts.trust === null)
      throw new DoorError('not-supported', 'this service does not know which folders are trusted')
    return parts.trust
  }
  addRoute(app, listTrust, (c) => c.json(door().list()))
  addRoute(app, lookAtFolder, (c) => c.json(lookAt(door(), c.req.valid('json'))))
  addRoute(app, trustFolder, (c) => {
    const { digest, ...at } = c.req.valid('json')
    const seen = lookAt(door(), at)
    // Looked at once: what was compared is what is trusted.
    if (seen.look.digest !== digest)
      throw new DoorError('trust-changed', 'what this folder would start has changed: look again', {
        details: { ...seen },
      })
    return c.json(door().trust(seen.look, callerOf(c).actor))
  })
  addRoute(app, revokeTrust, (c) => {
    const { root } = c.req.valid('json')
    if (!door().revoke(root)) throw new DoorError('not-found', 'that folder is not on record as trusted')
    return c.body(null, 204)
  })
}

function lookAt(door: TrustDoor, { cwd, codexHome = null }: LookAtFolder): TrustLook {
  const seen = door.look({ cwd, codexHome })
  if (seen === null) throw new DoorError('bad-request', `cwd: no such folder: ${cwd}`)
  return seen
}
