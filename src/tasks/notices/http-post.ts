// One POST over a connection of its own, to addresses the guard has checked. Redirects are answers, not followed.
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { type AddressGuard, hostOf } from './address-guard.ts'
import { pinnedLookup } from './pinned-lookup.ts'

export interface HttpRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Only its beginning, when it is long. */
  readonly text: string
}

/** Rejects when there is no answer: refused address, no connection, aborted by the signal. */
export type Post = (
  request: HttpRequest,
  options: { readonly guard: AddressGuard; readonly signal: AbortSignal },
) => Promise<HttpAnswer>

const MAX_ANSWER_BYTES = 64 * 1024

export const post: Post = async (request, { guard, signal }) => {
  const { url, addresses } = await abortable(guard.checkUrlHost(request.url), signal)
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>()
  const outgoing = (url.protocol === 'https:' ? https : http).request({
    method: 'POST',
    host: hostOf(url),
    port: url.port,
    path: `${url.pathname}${url.search}`,
    headers: { ...request.headers, 'Content-Length': Buffer.byteLength(request.body) },
    // A kept connection would be one the guard did not see.
    agent: false,
    lookup: pinnedLookup(addresses),
    signal,
  })
  outgoing.on('error', reject)
  outgoing.once('response', (answer) => {
    outgoing.off('error', reject).on('error', () => undefined)
    void readAnswer(answer).then(resolve)
  })
  outgoing.end(request.body)
  try {
    return await promise
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    outgoing.destroy()
  }
}

/** Whoever has sent a status has answered: a body that breaks off or never ends does not take that back. */
async function readAnswer(answer: IncomingMessage): Promise<HttpAnswer> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes >= MAX_ANSWER_BYTES) break
    }
  } catch {
    // What has come is all there is.
  }
  const text = Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES).toString()
  return { status: answer.statusCode ?? 0, headers: answer.headers, text }
}

/** For what cannot be aborted itself, like a question to DNS: it is left behind. */
export async function abortable<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  work.catch(() => undefined)
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener('abort', onAbort))
}
