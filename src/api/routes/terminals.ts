// Codex's own terminal on a task. A connection to an app-server equals a shell: only the token itself is told of its
// socket, and no browser.
import { createRoute } from '@hono/zod-openapi'
import type { TaskTerminals } from '../../tasks/index.ts'
import { type ApiApp, callerOf } from '../api-env.ts'
import { OpenTask, Task, Terminal } from '../contract.ts'
import { DoorError } from '../door-error.ts'
import { addRoute, answers, jsonBody, REFUSED, type RouteParts } from '../route-parts.ts'
import { TaskParams } from './tasks.ts'
import { tokenOnly } from './token-only.ts'

const tags = ['terminals']

const attachTerminal = createRoute({
  method: 'post',
  path: '/v1/tasks/{id}/terminal',
  tags,
  summary: "Open the thread of a task for codex's own terminal",
  description: 'Needs the token itself. The app-server is kept for a minute.',
  request: { params: TaskParams },
  responses: answers(Terminal, 'How the terminal reaches it.'),
})

const keepTerminal = createRoute({
  method: 'post',
  path: '/v1/tasks/{id}/terminal/keep',
  tags,
  summary: 'Keep the app-server of a task for another minute',
  description: 'Needs the token itself. A terminal that is open says so from time to time.',
  request: { params: TaskParams },
  responses: { 204: { description: 'Kept, if it runs.' }, default: REFUSED },
})

const openTask = createRoute({
  method: 'post',
  path: '/v1/terminals',
  tags,
  summary: 'A new task without a prompt, for a terminal on this machine',
  description: 'Needs the token itself. It is idle, with an open thread and the policy of any task.',
  request: { body: jsonBody(OpenTask) },
  responses: answers(Task, 'The new task.', 201),
})

export function addTerminalRoutes(app: ApiApp, { service }: RouteParts): void {
  const terminals = (): TaskTerminals => {
    if (!service.terminals) throw new DoorError('not-supported', 'this service opens no terminals')
    return service.terminals
  }
  addRoute(app, attachTerminal, async (c) => {
    tokenOnly(c)
    return c.json(await terminals().attach(c.req.valid('param').id, callerOf(c)))
  })
  addRoute(app, keepTerminal, async (c) => {
    tokenOnly(c)
    await terminals().keep(c.req.valid('param').id, callerOf(c))
    return c.body(null, 204)
  })
  addRoute(app, openTask, async (c) => {
    tokenOnly(c)
    return c.json(await terminals().open(c.req.valid('json'), callerOf(c)), 201)
  })
}
