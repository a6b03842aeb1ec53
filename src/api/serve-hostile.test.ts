// What a stranger on the socket can try.
import { describe, expect, it } from 'vitest'
import { RawClient, serve } from './fixtures/serve.ts'

const START = '{"prompt":"hi","cwd":"/repo"}'

const request = (line: string, headers: readonly string[] = [], body = '') =>
  [
    `${line} HTTP/1.1`,
    ...(headers.some((h) => /^host:/i.test(h)) ? [] : ['Host: localhost']),
    ...headers,
    '',
    body,
  ].join('\r\n')

describe('a slow client', () => {
  it('that never finishes its headers is cut off', async () => {
    const { port } = await serve({ limits: { headersMs: 150 } })
    const client = new RawClient(port).send('GET / HTTP/1.1\r\nHost: localhost\r\nX-A: ')
    const dribble = setInterval(() => client.send('a'), 20)
    const answer = await client.closed
    clearInterval(dribble)
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toEqual({
      error: {
        code: 'request-incomplete',
        message: 'the request did not arrive in time: nothing was done, send it again',
      },
    })
  })

  it('that never says anything is cut off', async () => {
    const { port } = await serve({ limits: { headersMs: 150 } })
    await new RawClient(port).closed
  })

  it('that never finishes its body is cut off', async () => {
    const { port, token, calls } = await serve({ limits: { headersMs: 100, requestMs: 200 } })
    const headers = [
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      'Content-Length: 1000',
    ]
    const client = new RawClient(port).send(request('POST /v1/tasks', headers, '{"prompt":"'))
    const dribble = setInterval(() => client.send('a'), 20)
    expect(await client.closed).toMatch(
      /^HTTP\/1\.1 (408|504) .*\{"error":\{"code":"(request-incomplete|deadline)"/s,
    )
    clearInterval(dribble)
    expect(calls).toEqual([])
  })

  it('does not hold up another', async () => {
    const { port, url } = await serve({ limits: { headersMs: 5000 } })
    const slow = Array.from({ length: 200 }, () => new RawClient(port).send('GET / HTTP/1.1\r\n'))
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    for (const { socket } of slow) socket.destroy()
  })
})

describe('a malformed request', () => {
  it.each([
    ['headers that are too large', request('GET /', [`X-A: ${'a'.repeat(20_000)}`]), 431],
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['no host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['two lengths', request('POST /v1/tasks', ['Content-Length: 5', 'Content-Length: 6'], 'hello'), 400],
    [
      'a length and chunks',
      request('POST /v1/tasks', ['Content-Length: 5', 'Transfer-Encoding: chunked'], '0\r\n\r\n'),
      400,
    ],
    ['a header with a line break', 'GET / HTTP/1.1\r\nHost: localhost\r\nX: a\rb\r\n\r\n', 400],
    ['a backslash in its path', request('GET /..\\secret'), 400],
    ['a name that leads here', request('GET /v1/tasks', ['Host: evil.example']), 421],
    ['another address than its host', request('GET http://evil.example/healthz'), 421],
    ['an empty host', request('GET /healthz', ['Host:']), 400],
  ])('with %s is refused', async (_, text, status) => {
    const { port } = await serve()
    expect(await new RawClient(port).send(text).status()).toBe(status)
  })

  it('leaves the service as it was', async () => {
    const { port, url } = await serve()
    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket']
    for (const text of [
      '\0\0\0',
      request('GET /', upgrade),
      request('CONNECT evil.example:443'),
      request('TRACE /'),
    ])
      await new RawClient(port)
        .send(text)
        .status()
        .catch(() => 'closed')
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
  })
})

describe('a path', () => {
  it.each([
    '/../../../../etc/passwd',
    '/..%2f..%2f..%2fetc%2fpasswd',
    '/%2e%2e/%2e%2e/etc/passwd',
    '//etc/passwd',
  ])('%s leads nowhere', async (address) => {
    const { port } = await serve({ consoleDir: import.meta.dirname })
    const client = new RawClient(port).send(request(`GET ${address}`, ['Connection: close']))
    expect(await client.closed).not.toContain('root:')
  })
})

describe('a body in chunks', () => {
  const chunked = (token: string) => [
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    'Transfer-Encoding: chunked',
  ]
  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`

  it('is read', async () => {
    const { port, token } = await serve()
    const body = `${chunk(START.slice(0, 9))}${chunk(START.slice(9))}0\r\n\r\n`
    expect(await new RawClient(port).send(request('POST /v1/tasks', chunked(token), body)).status()).toBe(201)
  })

  it('is cut off where it is too large, whatever it says', async () => {
    const { port, token, calls } = await serve({ limits: { inputBodyBytes: 10_000 } })
    const client = new RawClient(port).send(request('POST /v1/tasks', chunked(token)))
    for (let sent = 0; sent < 20; sent++) client.send(chunk('a'.repeat(1000)))
    expect(await client.status()).toBe(413)
    expect(calls).toEqual([])
  })

  it('that is broken off does nothing', async () => {
    const { port, token, url, calls } = await serve()
    const client = new RawClient(port).send(request('POST /v1/tasks', chunked(token), chunk(START)))
    client.socket.end()
    await client.closed
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    expect(calls).toEqual([])
  })
})

describe('a page of another site', () => {
  it.each([
    ['a form', ['Content-Type: text/plain', 'Origin: https://evil.example']],
    ['a form that hides its origin', ['Content-Type: text/plain', 'Origin: null']],
    ['JSON', ['Content-Type: application/json', 'Origin: https://evil.example']],
    ['JSON from another port', ['Content-Type: application/json', 'Origin: http://localhost:3000']],
    ['JSON without an origin', ['Content-Type: application/json', 'Sec-Fetch-Site: cross-site']],
    ['a form without an origin', ['Content-Type: application/x-www-form-urlencoded']],
  ])('cannot start a task with %s, though the browser was let in', async (_, headers) => {
    const { port, makeLoginLink, calls } = await serve()
    const login = await fetch((await makeLoginLink()).url, { redirect: 'manual' })
    const cookie = login.headers.get('set-cookie')!.split(';')[0]
    const all = [...headers, `Cookie: ${cookie}`, `Content-Length: ${START.length}`]
    const status = await new RawClient(port).send(request('POST /v1/tasks', all, START)).status()
    expect([403, 415]).toContain(status)
    expect(calls).toEqual([])
  })
})
