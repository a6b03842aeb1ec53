import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { SseEvent } from './faults.ts'
import { type ReplyPart, wireSteps } from './reply.ts'

/** Puts one reply on the wire. Rejects when codex hangs up or the signal fires before the end. */
export async function sendReply(
  parts: readonly ReplyPart[],
  { response, signal }: { response: ServerResponse; signal: AbortSignal },
): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const ended = AbortSignal.any([signal, gone.signal])
  const error = parts.find((part) => part.part === 'httpError')
  if (error) {
    for (const part of parts) if (part.part === 'slow') await delay(part.ms, undefined, { signal: ended })
    response.writeHead(error.status, error.headers).end(error.body)
    return
  }
  const extra = parts.filter((part) => part.part === 'headers').map((part) => part.headers)
  response.setHeaders(new Headers({ 'content-type': 'text/event-stream', ...Object.assign({}, ...extra) }))
  for (const step of wireSteps(parts)) {
    ended.throwIfAborted()
    if (step.do === 'wait') await delay(step.ms, undefined, { signal: ended })
    if (step.do === 'hang') await once(ended, 'abort')
    if (step.do === 'cut') return cut(response)
    if (step.do === 'send' && !response.write(framed(step.event)))
      await once(response, 'drain', { signal: ended })
  }
  response.end()
}

// What was written sits in a corked socket for a moment: a comment that has left tells us it is gone too.
async function cut(response: ServerResponse): Promise<void> {
  if (response.headersSent) await new Promise((resolve) => response.write(': cut\n\n', resolve))
  response.destroy()
}

function framed(event: SseEvent): string {
  return typeof event === 'string' ? event : `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}
