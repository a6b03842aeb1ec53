/**
 * `fetch` for the service's own certificate, whoever signed it and whatever names it has: it must be exactly this one.
 */
export function pinnedFetch(certificate: string): typeof fetch {
  return async (input, init = {}) => {
    const [{ request }, { Readable }] = await Promise.all([import('node:https'), import('node:stream')])
    const asked = new Request(input, init)
    const body = asked.body === null ? null : Buffer.from(await asked.arrayBuffer())
    const { promise, resolve, reject } = Promise.withResolvers<Response>()
    const sent = request(
      asked.url,
      {
        method: asked.method,
        headers: { ...Object.fromEntries(asked.headers), ...(body && { 'content-length': body.length }) },
        signal: asked.signal,
        ca: certificate,
        allowPartialTrustChain: true,
        checkServerIdentity: () => undefined,
        agent: false,
      },
      (answer) => {
        const status = answer.statusCode ?? 502
        const headers = Object.entries(answer.headers).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, String(value)] as [string, string]],
        )
        const hasBody = status !== 204 && status !== 304
        if (!hasBody) answer.resume()
        const content = hasBody ? (Readable.toWeb(answer) as ReadableStream<Uint8Array>) : null
        resolve(new Response(content, { status, headers }))
      },
    )
    sent.on('error', reject)
    sent.end(body)
    return promise
  }
}
