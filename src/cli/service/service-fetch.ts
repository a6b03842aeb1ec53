import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'

/**
 * `fetch` for a service on this machine, as much of it as our client uses: the global one takes longer to load than all
 * else that a command does. With a certificate the service must have exactly this one, whoever signed it and whatever
 * names it has.
 */
export function serviceFetch(certificate: string | null): typeof fetch {
  const send = async (url: URL, init: RequestInit) => {
    const { signal } = init
    const reasonOf = (error: unknown) => (signal?.aborted ? signal.reason : error)
    const answer = await ask(url, init, certificate).catch((error: unknown) => {
      throw reasonOf(error)
    })
    const status = answer.statusCode ?? 502
    return {
      status,
      ok: status >= 200 && status < 300,
      headers: { get: (name: string) => answer.headers[name] ?? null },
      body: answer,
      text: () =>
        textOf(answer).catch((error: unknown) => {
          throw reasonOf(error)
        }),
    }
  }
  return send as unknown as typeof fetch
}

async function ask(url: URL, init: RequestInit, certificate: string | null): Promise<IncomingMessage> {
  // Not imported: for its list of names a module of Node's loads what they stand for, the global fetch among them.
  const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const body = init.body as string | FormData | ReadableStream | undefined
  const form = typeof body === 'object' ? partsOf(body) : null
  const sent = request(url, {
    method: init.method,
    headers: {
      ...(init.headers as Record<string, string>),
      ...(typeof body === 'string' && { 'content-length': Buffer.byteLength(body) }),
      ...form?.headers,
    },
    ...(init.signal && { signal: init.signal }),
    agent: false,
    ...(certificate !== null && {
      ca: certificate,
      allowPartialTrustChain: true,
      checkServerIdentity: () => undefined,
    }),
  })
  sent.on('response', resolve)
  sent.on('error', reject)
  if (form) form.bytes.on('error', (error) => sent.destroy(error)).pipe(sent)
  else sent.end(body)
  const answer = await promise
  // Whoever reads it is told.
  answer.on('error', () => {})
  return answer
}

/** As it is sent, read from its files as fast as it can be. */
function partsOf(given: FormData | ReadableStream): { headers: Record<string, string>; bytes: Readable } {
  const { Readable } = process.getBuiltinModule('node:stream')
  const { headers, body } = new Response(given)
  const type = headers.get('content-type')
  return {
    headers: type === null ? {} : { 'content-type': type },
    bytes: Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]),
  }
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
