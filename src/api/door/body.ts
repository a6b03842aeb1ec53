// What may be in the body of a request, before anything reads it.
import type { Context, MiddlewareHandler } from 'hono'
import type { ApiEnv } from '../api-env.ts'
import type { ApiLimits } from '../api-options.ts'
import { DoorError } from '../door-error.ts'

/** Where a prompt with images may be. */
const INPUT_PATH = /^\/v1\/tasks(?:\/[^/]+\/(?:turns|steer|fork|resume))?$/

/** Where files may be, of any size: what reads them counts them. */
const UPLOAD_PATH = /^\/v1\/tasks\/[^/]+\/uploads$/

const WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

export function boundedJson({ bodyBytes, inputBodyBytes }: ApiLimits): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    if (UPLOAD_PATH.test(c.req.path) && c.req.method === 'POST') {
      if (!isForm(c.req.header('content-type')))
        throw new DoorError('unsupported-media-type', 'send multipart/form-data, with each file as a part')
      return next()
    }
    // Read in parts by its route, and held to nothing but the disk.
    if (c.req.method === 'POST' && c.req.path === '/v1/snapshots') return next()
    const isChunked = c.req.header('transfer-encoding') !== undefined
    const length = Number(c.req.header('content-length') ?? 0)
    const maxBytes = INPUT_PATH.test(c.req.path) ? inputBodyBytes : bodyBytes
    if ((isChunked || length > 0) && !isJson(c.req.header('content-type')))
      throw new DoorError('unsupported-media-type', 'send application/json')
    if (length > maxBytes) throw tooLarge(maxBytes)
    // What has a length is held to it by node; the rest is counted.
    if (length === 0 && WITH_BODY.has(c.req.method)) await countBody(c, maxBytes)
    await next()
  }
}

/** Reads it, and puts a request in its place that has it in memory. */
async function countBody(c: Context<ApiEnv>, maxBytes: number): Promise<void> {
  const { body, method, headers, signal } = c.req.raw
  if (body === null) return
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body as ReadableStream<Uint8Array>) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge(maxBytes)
    chunks.push(chunk)
  }
  c.req.raw = new Request(c.req.url, { method, headers, signal, body: Buffer.concat(chunks) })
}

function tooLarge(maxBytes: number): DoorError {
  return new DoorError('body-too-large', `the body may have ${maxBytes} bytes`)
}

function isJson(type: string | undefined): boolean {
  return type !== undefined && /^application\/json *(?:;|$)/i.test(type)
}

function isForm(type: string | undefined): boolean {
  return type !== undefined && /^multipart\/form-data *;/i.test(type)
}
