import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { type ApiApp, callerOf } from '../api-env.ts'
import {
  ChangeTask,
  CountedTasks,
  pageOf,
  StartTask,
  Task,
  TaskDetail,
  TaskFilterQuery,
  TaskListQuery,
} from '../contract.ts'
import { answers, jsonBody, REFUSED, type RouteParts, routesForAll } from '../route-parts.ts'
import { eventList } from '../stream/event-text.ts'

export const TaskParams = z.object({ id: z.string().min(1).max(200) })
export const KeyHeader = z.object({
  'idempotency-key': z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'The same key again does nothing more and gives the same answer.' }),
})

const tags = ['tasks']

const listTasks = createRoute({
  method: 'get',
  path: '/v1/tasks',
  tags,
  summary: 'Tasks, newest first',
  request: { query: TaskListQuery },
  responses: answers(pageOf(Task).meta({ id: 'TaskPage' }), 'A page.'),
})

const countTasks = createRoute({
  method: 'get',
  path: '/v1/tasks/counts',
  tags,
  summary: 'How many tasks there are, by status',
  request: { query: TaskFilterQuery },
  responses: answers(CountedTasks, 'Of all that the filter lets through.'),
})

const startTask = createRoute({
  method: 'post',
  path: '/v1/tasks',
  tags,
  summary: 'Start a task',
  request: { headers: KeyHeader, body: jsonBody(StartTask) },
  responses: answers(Task, 'Taken in; it may be queued.', 201),
})

const getTask = createRoute({
  method: 'get',
  path: '/v1/tasks/{id}',
  tags,
  summary: 'One task',
  request: { params: TaskParams },
  responses: answers(Task, 'As it is now.'),
})

const showTask = createRoute({
  method: 'get',
  path: '/v1/tasks/{id}/detail',
  tags,
  summary: 'One task with its questions, messages and newest events',
  request: {
    params: TaskParams,
    query: z.object({ events: z.coerce.number().int().min(0).max(5000).optional() }),
  },
  responses: answers(TaskDetail, 'As it is now.'),
})

const changeTask = createRoute({
  method: 'patch',
  path: '/v1/tasks/{id}',
  tags,
  summary: 'Rename, archive, label …',
  request: { params: TaskParams, body: jsonBody(ChangeTask) },
  responses: answers(Task, 'Changed.'),
})

const deleteTask = createRoute({
  method: 'delete',
  path: '/v1/tasks/{id}',
  tags,
  summary: 'Delete a task that has ended',
  description: 'Its events and questions go with it; its audit stays.',
  request: { params: TaskParams },
  responses: { 204: { description: 'Gone.' }, default: REFUSED },
})

const ARCHIVED = { true: true, false: false, only: 'only' } as const

export function addTaskRoutes(app: ApiApp, parts: RouteParts): void {
  const add = routesForAll(app, parts.service)
  add(listTasks, async (c, service) => {
    const { archived = 'false', ...query } = c.req.valid('query')
    return c.json(await service.list({ ...query, archived: ARCHIVED[archived] }))
  })
  add(countTasks, async (c, service) => {
    const { archived = 'false', ...filter } = c.req.valid('query')
    return c.json(await service.count({ ...filter, archived: ARCHIVED[archived] }))
  })
  add(startTask, async (c, service) => {
    const { 'idempotency-key': idempotencyKey } = c.req.valid('header')
    const task = await service.start({ ...c.req.valid('json'), idempotencyKey }, callerOf(c))
    return c.json(task, 201, { location: `/v1/tasks/${encodeURIComponent(task.id)}` })
  })
  add(getTask, async (c, service) => c.json(await service.get(c.req.valid('param').id)))
  add(showTask, async (c, service) => {
    const { events, ...detail } = await service.show(c.req.valid('param').id, c.req.valid('query'))
    const json = JSON.stringify(detail).slice(0, -1)
    return c.body(`${json},"events":${eventList(events)}}`, 200, { 'content-type': 'application/json' })
  })
  add(changeTask, async (c, service) =>
    c.json(await service.change(c.req.valid('param').id, c.req.valid('json'), callerOf(c))),
  )
  add(deleteTask, async (c, service) => {
    const { id } = c.req.valid('param')
    await service.delete(id, callerOf(c))
    await parts.files?.forget(id)
    return c.body(null, 204)
  })
}
