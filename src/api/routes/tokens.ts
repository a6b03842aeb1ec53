// Named tokens with limits: who has one, and until when. Only the owner's own token makes one.
import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { type ApiApp, callerOf } from '../api-env.ts'
import type { NamedTokens } from '../auth/named-tokens.ts'
import { AddedToken, AddToken, Token, TokenList } from '../contract.ts'
import { DoorError } from '../door-error.ts'
import { addRoute, answers, jsonBody, type RouteParts } from '../route-parts.ts'
import { tokenOnly } from './token-only.ts'

const tags = ['tokens']

const listTokens = createRoute({
  method: 'get',
  path: '/v1/tokens',
  tags,
  summary: 'Named tokens, newest first',
  description: 'Revoked and expired ones included. Secrets are not kept.',
  responses: answers(TokenList, 'All of them.'),
})

const addToken = createRoute({
  method: 'post',
  path: '/v1/tokens',
  tags,
  summary: 'Make a named token',
  description: "With the owner's token only: a browser cannot do this.",
  request: { body: jsonBody(AddToken) },
  responses: answers(AddedToken, 'The secret is shown this once.', 201),
})

const revokeToken = createRoute({
  method: 'delete',
  path: '/v1/tokens/{name}',
  tags,
  summary: 'Let a named token in no longer',
  description: 'By name or id. Its streams end; tasks it started go on.',
  request: { params: z.object({ name: z.string().min(1).max(200) }) },
  responses: answers(Token, 'Revoked; it is kept for the audit.'),
})

export function addTokenRoutes(app: ApiApp, { named, streams }: RouteParts): void {
  const tokens = (): NamedTokens => {
    if (named === null) throw new DoorError('not-supported', 'this service keeps no named tokens')
    return named
  }
  addRoute(app, listTokens, async (c) => c.json({ items: await tokens().list() }))
  addRoute(app, addToken, async (c) => {
    tokenOnly(c)
    return c.json(await tokens().add(c.req.valid('json'), { by: callerOf(c).actor }), 201)
  })
  addRoute(app, revokeToken, async (c) => {
    const token = await tokens().revoke(c.req.valid('param').name, { by: callerOf(c).actor })
    if (token === null) throw new DoorError('not-found', 'no such token, or it is revoked already')
    await streams.closeRevoked()
    return c.json(token)
  })
}
