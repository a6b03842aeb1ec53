// The files of a task: looked at, read, and given to it. Whether a named token may is decided by the task service.
import { createRoute } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { z } from 'zod'
import { boundaryOf, MultipartError, type Part, readMultipart } from '../../util/multipart.ts'
import { type ApiApp, type ApiEnv, callerOf } from '../api-env.ts'
import type { FilesDoor } from '../api-options.ts'
import { FileList, FileQuery, Upload, UploadList } from '../contract.ts'
import { arriving } from '../door/arriving.ts'
import { DoorError } from '../door-error.ts'
import { answers, REFUSED, type RouteParts, routesForAll } from '../route-parts.ts'
import { fileResponse } from '../stream/file-response.ts'
import { TaskParams } from './tasks.ts'

const tags = ['files']
const BYTES = { 'application/octet-stream': { schema: z.string().meta({ format: 'binary' }) } }

const FORM = {
  type: 'object' as const,
  properties: { file: { type: 'array' as const, items: { type: 'string' as const, format: 'binary' } } },
  required: ['file'],
}

const listFiles = createRoute({
  method: 'get',
  path: '/v1/tasks/{id}/files',
  tags,
  summary: 'What is in a folder of a task',
  request: { params: TaskParams, query: FileQuery },
  responses: answers(FileList, 'Without the folders below.'),
})

const readFile = createRoute({
  method: 'get',
  path: '/v1/tasks/{id}/files/content',
  tags,
  summary: 'A file of a task',
  description:
    'Only what is in the folder that the task works in, wherever links lead; never logins. `Range` with one range, and ' +
    '`If-Range`, are understood. Always an attachment of bytes: a browser shows nothing of it.',
  request: {
    params: TaskParams,
    query: FileQuery.required({ path: true }),
    headers: z.object({ range: z.string().max(200).optional(), 'if-range': z.string().max(200).optional() }),
  },
  responses: {
    200: { description: 'All of it.', content: BYTES },
    206: { description: 'A part of it.', content: BYTES },
    default: REFUSED,
  },
})

const listUploads = createRoute({
  method: 'get',
  path: '/v1/tasks/{id}/uploads',
  tags,
  summary: 'The files that a task was given',
  request: { params: TaskParams },
  responses: answers(UploadList, 'In the order they came.'),
})

const uploadFiles = createRoute({
  method: 'post',
  path: '/v1/tasks/{id}/uploads',
  tags,
  summary: 'Give a task files',
  description:
    'Every part of the form is a file. All of them are kept or none. The model is told of them with the next message.',
  request: {
    params: TaskParams,
    body: {
      required: true,
      // Not a schema of zod: that would read all of it into memory.
      content: { 'multipart/form-data': { schema: FORM } },
    },
  },
  responses: answers(UploadList, 'Stored.', 201),
})

const removeUpload = createRoute({
  method: 'delete',
  path: '/v1/tasks/{id}/uploads/{uploadId}',
  tags,
  summary: 'Take back a file before a message tells of it',
  request: { params: TaskParams.extend({ uploadId: z.string().min(1).max(200) }) },
  responses: answers(Upload, 'Taken back, and removed.'),
})

export function addFileRoutes(app: ApiApp, parts: RouteParts): void {
  const add = routesForAll(app, parts.service)
  const door = (): FilesDoor => {
    if (!parts.files) throw new DoorError('not-supported', 'this service shows no files of tasks')
    return parts.files
  }
  add(listFiles, async (c, service) => {
    const files = door()
    const place = await service.placeToRead(c.req.valid('param').id)
    const listing = await files.list(place, askedOf(c.req.valid('query')))
    return c.json({ ...listing, limits: files.limits })
  })
  add(readFile, async (c, service) => {
    const files = door()
    const place = await service.placeToRead(c.req.valid('param').id)
    return fileResponse(c, await files.open(place, askedOf(c.req.valid('query'))), parts)
  })
  add(listUploads, async (c, service) => c.json({ items: await service.uploads(c.req.valid('param').id) }))
  add(uploadFiles, async (c, service) => {
    const files = door()
    const { id } = c.req.valid('param')
    const place = await service.placeToUpload(id)
    const items = await files.receive(place, formOf(c, parts), (stored) =>
      service.addUploads(id, stored, callerOf(c)),
    )
    return c.json({ items }, 201)
  })
  add(removeUpload, async (c, service) => {
    const files = door()
    const { id, uploadId } = c.req.valid('param')
    const place = await service.placeToUpload(id)
    return c.json(await files.takeBack(place, () => service.removeUpload(id, uploadId, callerOf(c))))
  })
}

function askedOf({ in: where = 'folder', path = '' }: z.output<typeof FileQuery>) {
  return { in: where, path }
}

async function* formOf(c: Context<ApiEnv>, { limits }: RouteParts): AsyncGenerator<Part, void> {
  const boundary = boundaryOf(c.req.header('content-type') ?? '')
  if (boundary === null) throw new DoorError('bad-request', 'the multipart form has no usable boundary')
  try {
    yield* readMultipart(arriving(c, { stalledMs: limits.stalledMs }), boundary)
  } catch (error) {
    if (!(error instanceof MultipartError)) throw error
    throw new DoorError('bad-request', `the form cannot be read: ${error.message}. Nothing was kept`, {
      cause: error,
    })
  }
}
