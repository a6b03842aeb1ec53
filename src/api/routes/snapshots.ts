// Snapshots of tasks. For the owner alone: they hold whole threads and files, and restoring one starts a task with its rights.
import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { type ApiApp, callerOf } from '../api-env.ts'
import type { SnapshotsDoor } from '../api-options.ts'
import {
  RemovedSnapshot,
  RestoreSnapshot,
  SNAPSHOT_TYPE,
  Snapshot,
  SnapshotList,
  TakeSnapshot,
  Task,
} from '../contract.ts'
import { DoorError } from '../door-error.ts'
import { addRoute, answers, jsonBody, optionalJsonBody, REFUSED, type RouteParts } from '../route-parts.ts'
import { TaskParams } from './tasks.ts'

const tags = ['snapshots']
const params = z.object({ id: z.string().min(1).max(200) })
const file = { [SNAPSHOT_TYPE]: { schema: z.string().meta({ format: 'binary' }) } }

const takeSnapshot = createRoute({
  method: 'post',
  path: '/v1/tasks/{id}/snapshots',
  tags,
  summary: 'Take a snapshot of a task',
  description: 'Its files and its thread. While a turn runs it is refused, with `task-running`.',
  request: { params: TaskParams, body: optionalJsonBody(TakeSnapshot) },
  responses: answers(Snapshot, 'It is on disk; of a very large one `state` may still be `taking`.', 201),
})

const listSnapshots = createRoute({
  method: 'get',
  path: '/v1/tasks/{id}/snapshots',
  tags,
  summary: 'The snapshots of a task',
  request: { params: TaskParams },
  responses: answers(SnapshotList, 'Newest first.'),
})

const showSnapshot = createRoute({
  method: 'get',
  path: '/v1/snapshots/{id}',
  tags,
  summary: 'A snapshot',
  request: { params },
  responses: answers(Snapshot, 'What is known of it.'),
})

const downloadSnapshot = createRoute({
  method: 'get',
  path: '/v1/snapshots/{id}/file',
  tags,
  summary: 'A snapshot as one file',
  description:
    'To be restored by another service. It has no login, but all that is in the thread and in the files.',
  request: { params },
  responses: { 200: { description: 'The file.', content: file }, default: REFUSED },
})

const allSnapshots = createRoute({
  method: 'get',
  path: '/v1/snapshots',
  tags,
  summary: 'The snapshots of all tasks',
  responses: answers(SnapshotList, 'Newest first; at most 1000.'),
})

const importSnapshot = createRoute({
  method: 'post',
  path: '/v1/snapshots',
  tags,
  summary: 'Bring a snapshot as one file',
  description: `The body is the file, as ${SNAPSHOT_TYPE}. One that is damaged leaves nothing.`,
  responses: answers(Snapshot, 'It can be restored.', 201),
})

const restoreSnapshot = createRoute({
  method: 'post',
  path: '/v1/snapshots/{id}/restore',
  tags,
  summary: 'Restore a snapshot as a new task',
  description: 'All of it is checked before anything is made.',
  request: { params, body: jsonBody(RestoreSnapshot) },
  responses: answers(Task, 'The new task.', 201),
})

const removeSnapshot = createRoute({
  method: 'post',
  path: '/v1/snapshots/{id}/remove',
  tags,
  summary: 'Remove a snapshot',
  request: { params },
  responses: answers(RemovedSnapshot, 'It is gone.'),
})

export function addSnapshotRoutes(app: ApiApp, { snapshots }: RouteParts): void {
  const door = (): SnapshotsDoor => {
    if (!snapshots) throw new DoorError('not-supported', 'this service takes no snapshots')
    return snapshots
  }
  addRoute(app, takeSnapshot, async (c) =>
    c.json(await door().take(c.req.valid('param').id, c.req.valid('json') ?? {}), 201),
  )
  addRoute(app, listSnapshots, async (c) => c.json({ items: await door().list(c.req.valid('param').id) }))
  addRoute(app, allSnapshots, async (c) => c.json({ items: await door().all() }))
  addRoute(app, showSnapshot, async (c) => c.json(await door().get(c.req.valid('param').id)))
  addRoute(app, downloadSnapshot, async (c) => {
    const { id } = c.req.valid('param')
    const stream = ReadableStream.from(await door().export(id)) as ReadableStream<Uint8Array>
    return c.body(stream, 200, {
      'content-type': SNAPSHOT_TYPE,
      'content-disposition': `attachment; filename="${id}.dbsnap"`,
    })
  })
  addRoute(app, importSnapshot, async (c) => {
    const { body } = c.req.raw
    if (c.req.header('content-type') !== SNAPSHOT_TYPE || body === null)
      throw new DoorError('unsupported-media-type', `send the file as ${SNAPSHOT_TYPE}`)
    return c.json(await door().import(body as AsyncIterable<Uint8Array>), 201)
  })
  addRoute(app, restoreSnapshot, async (c) => {
    const { id } = c.req.valid('param')
    return c.json(await door().restore(id, c.req.valid('json'), callerOf(c)), 201)
  })
  addRoute(app, removeSnapshot, async (c) => c.json(await door().remove(c.req.valid('param').id)))
}
