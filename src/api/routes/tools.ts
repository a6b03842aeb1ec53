import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import type { ApiApp } from '../api-env.ts'
import type { ToolDoor } from '../api-options.ts'
import { CalledTool, CallTool, ToolSourceList } from '../contract.ts'
import { DoorError } from '../door-error.ts'
import { addRoute, answers, jsonBody, type RouteParts } from '../route-parts.ts'
import { tokenOnly } from './token-only.ts'

const tags = ['tools']

const listTools = createRoute({
  method: 'get',
  path: '/v1/tools',
  tags,
  summary: 'The tools that tasks can get',
  responses: answers(ToolSourceList, 'Those that cannot be used too, with the reason.'),
})

const callTool = createRoute({
  method: 'post',
  path: '/v1/tools/{name}/call',
  tags,
  summary: 'Call a tool of a module, to try it',
  request: { params: z.object({ name: z.string().min(1).max(64) }), body: jsonBody(CallTool) },
  responses: answers(CalledTool, 'As the model would be told.'),
})

export function addToolRoutes(app: ApiApp, { tools }: RouteParts): void {
  addRoute(app, listTools, (c) => c.json({ items: [...door(tools).list()] }))
  addRoute(app, callTool, async (c) => {
    tokenOnly(c)
    const { arguments: given } = c.req.valid('json')
    return c.json(await door(tools).call(c.req.valid('param').name, given, { signal: c.req.raw.signal }))
  })
}

function door(tools: ToolDoor | null): ToolDoor {
  if (!tools) throw new DoorError('not-supported', 'this service has no tools')
  return tools
}
