import type { Context } from 'hono'
import { type ApiEnv, credentialOf } from '../api-env.ts'
import type { RouteParts } from '../route-parts.ts'
import { EventStream, type StreamSource } from './event-stream.ts'

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  // Without it the server would wait for the first pieces before it sends the headers.
  'transfer-encoding': 'chunked',
  // For proxies that would hold it back.
  'x-accel-buffering': 'no',
}

/** Answers with a stream that is counted, and ended with its credential or the service. */
export function streamResponse(c: Context<ApiEnv>, source: StreamSource, parts: RouteParts): Response {
  const { streams, limits, now, onError } = parts
  const credential = credentialOf(c)
  // hono answers HEAD by asking for everything and dropping the body, which nobody would end.
  if (c.req.method !== 'GET') return c.body(null, 200, HEADERS)
  const leave = streams.enter(credential, 'stream', (why) => stream.close(why))
  const stream: EventStream = new EventStream(source, {
    limits,
    now,
    disconnect: () => c.env?.outgoing?.destroy(),
    onEnd: leave,
    onError: (error) => onError(error, c.get('requestId')),
  })
  // A client that left before the first byte is not noticed by the body.
  const { signal } = c.req.raw
  if (signal.aborted) stream.close('gone')
  else signal.addEventListener('abort', () => stream.close('gone'), { once: true })
  return c.body(stream.body, 200, HEADERS)
}
