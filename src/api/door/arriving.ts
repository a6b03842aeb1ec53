// The body of a request as it arrives, however long all of it takes.
import type { Context } from 'hono'
import type { ApiEnv } from '../api-env.ts'
import { DoorError } from '../door-error.ts'
import { letArrive } from './refuse-unread.ts'

/** Throws when nothing has come for so long, or the client is gone. */
export async function* arriving(
  c: Context<ApiEnv>,
  { stalledMs }: { readonly stalledMs: number },
): AsyncGenerator<Uint8Array, void> {
  const { body } = c.req.raw
  if (body === null) return
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  const socket = c.env?.incoming?.socket
  const arrived = socket && letArrive(socket)
  try {
    for (;;) {
      const { done, value } = await within(stalledMs, reader.read())
      if (done) return
      yield value
    }
  } finally {
    arrived?.()
    // The rest is left to the server, which ends the connection if there is much of it.
    reader.releaseLock()
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new DoorError('deadline', `nothing came for ${ms} ms: nothing was kept. Send it again`)),
    ms,
  )
  const gone = (cause: unknown) => {
    throw new DoorError('bad-request', 'the connection broke in the middle: nothing was kept', { cause })
  }
  return Promise.race([work.catch(gone), promise]).finally(() => clearTimeout(timer))
}
