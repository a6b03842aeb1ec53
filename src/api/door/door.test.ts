import { describe, expect, it } from 'vitest'
import { errorOf, openApi } from '../fixtures/open-api.ts'

const START = { prompt: 'hi', cwd: '/repo' }

describe('hosts', () => {
  const statusFor = async (host: string, allowHosts: string[] = []) => {
    const { app } = openApi({ allowHosts })
    return (await app.request(`http://${host}/healthz`, { headers: { host } })).status
  }

  it('are those of loopback, on any port', async () => {
    for (const host of ['localhost', 'localhost:4100', '127.0.0.1:4100', '[::1]:4100', 'LOCALHOST'])
      expect([host, await statusFor(host)]).toEqual([host, 200])
  })

  it('are refused when they only lead here', async () => {
    for (const host of [
      'evil.example',
      '127.0.0.1.evil.example',
      'localhost.evil.example:4100',
      '10.0.0.1',
      '0.0.0.0',
    ])
      expect([host, await statusFor(host)]).toEqual([host, 421])
  })

  it('may be added', async () => {
    expect(await statusFor('bridge.example:8443', ['bridge.example'])).toBe(200)
    expect(await statusFor('other.example', ['bridge.example'])).toBe(421)
  })

  it('must be known in the address as well as in the header', async () => {
    const { app } = openApi()
    const response = await app.request('http://evil.example/healthz', { headers: { host: 'localhost' } })
    expect(await errorOf(response)).toMatchObject({ status: 421, code: 'unknown-host' })
  })
})

describe('origins', () => {
  const post = async (headers: Record<string, string>) => {
    const api = openApi()
    const response = await api.ask('http://localhost:4100/v1/tasks', { method: 'POST', headers, json: START })
    return [response.status, api.calls.length]
  }

  it('are our own, or none', async () => {
    expect(await post({})).toEqual([201, 1])
    expect(await post({ origin: 'http://localhost:4100', 'sec-fetch-site': 'same-origin' })).toEqual([201, 1])
    expect(await post({ origin: 'https://localhost:4100' })).toEqual([201, 1])
  })

  it('of other sites, other ports and nowhere are refused, for JSON too', async () => {
    for (const origin of [
      'https://evil.example',
      'http://localhost:3000',
      'http://localhost',
      'null',
      'file://',
    ])
      expect([origin, ...(await post({ origin }))]).toEqual([origin, 403, 0])
    for (const site of ['cross-site', 'same-site', 'odd'])
      expect([site, ...(await post({ 'sec-fetch-site': site }))]).toEqual([site, 403, 0])
  })

  it('count for reading as well, but not for opening a page', async () => {
    const { app, ask } = openApi()
    const headers = { 'sec-fetch-site': 'cross-site' }
    expect((await ask('/v1/tasks', { headers })).status).toBe(403)
    expect((await app.request('/', { headers })).status).toBe(200)
  })

  it('are never told that they may', async () => {
    const { app } = openApi()
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
    const response = await app.request('/v1/tasks', { method: 'OPTIONS', headers })
    expect(response.status).toBeGreaterThanOrEqual(400)
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
  })
})

describe('bodies', () => {
  it('are JSON and say so', async () => {
    const api = openApi()
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
    ]) {
      const body = JSON.stringify(START)
      const headers = { 'content-type': type, 'content-length': String(body.length) }
      const response = await api.ask('/v1/tasks', { method: 'POST', headers, body })
      expect([type, await errorOf(response)]).toMatchObject([
        type,
        { status: 415, code: 'unsupported-media-type' },
      ])
    }
    expect(api.calls).toEqual([])
  })

  it('that cannot be read are refused', async () => {
    for (const body of ['', '{', '[]', '"x"', '{"prompt":1}', '\u0000']) {
      const headers = { 'content-type': 'application/json' }
      const response = await openApi().ask('/v1/tasks', { method: 'POST', headers, body })
      expect([body, await errorOf(response)]).toMatchObject([body, { status: 400, code: 'bad-request' }])
    }
  })

  it('are told where they are wrong', async () => {
    const json = {
      prompt: [{ type: 'image', url: 'https://evil.example/x.png' }],
      policy: { sandbox: 'none' },
      typo: 1,
    }
    const response = await openApi().ask('/v1/tasks', { method: 'POST', json })
    const { details } = await errorOf(response)
    const paths = (details!.issues as { path: string }[]).map(({ path }) => path)
    expect(paths).toEqual(
      expect.arrayContaining(['body.prompt.0.url', 'body.cwd', 'body.policy.sandbox', 'body']),
    )
  })

  it('have a size, larger where images may be', async () => {
    const api = openApi({ limits: { bodyBytes: 1000, inputBodyBytes: 5000 } })
    const text = 'x'.repeat(2000)
    const small = await api.ask('/v1/rules', { method: 'POST', json: { text: 'allow', note: text } })
    expect(await errorOf(small)).toMatchObject({ status: 413, code: 'body-too-large' })
    expect((await api.ask('/v1/tasks', { method: 'POST', json: { ...START, prompt: text } })).status).toBe(
      201,
    )
    const large = await api.ask('/v1/tasks', { method: 'POST', json: { ...START, prompt: text.repeat(3) } })
    expect(large.status).toBe(413)
  })
})

describe('limits', () => {
  it('give each credential a burst, then so many a second', async () => {
    let now = 0
    const api = openApi({ now: () => now, limits: { burst: 3, requestsPerSecond: 1 } })
    const statuses = async (count: number) => {
      const asked = await Promise.all(Array.from({ length: count }, () => api.ask('/v1/models')))
      return asked.map(({ status }) => status)
    }
    expect(await statuses(4)).toEqual([200, 200, 200, 429])
    now = 1000
    expect(await statuses(2)).toEqual([200, 429])
    const response = await api.ask('/v1/models')
    expect(response.headers.get('retry-after')).toBe('1')
    expect(await errorOf(response)).toMatchObject({ code: 'too-many-requests' })
  })

  it('count those who are not let in by themselves', async () => {
    const api = openApi({ now: () => 0, limits: { burst: 2, requestsPerSecond: 1 } })
    const asked = [
      await api.app.request('/v1/x'),
      await api.app.request('/v1/x'),
      await api.app.request('/v1/x'),
    ]
    expect(asked.map(({ status }) => status)).toEqual([401, 401, 429])
    expect((await api.ask('/v1/models')).status).toBe(200)
  })

  it('answer when the service does not', async () => {
    const api = openApi({ limits: { requestMs: 20 } })
    api.instead('models', () => new Promise(() => undefined))
    expect(await errorOf(await api.ask('/v1/models'))).toMatchObject({ status: 504, code: 'deadline' })
  })
})

describe('every answer', () => {
  it('has the headers that keep browsers out of trouble', async () => {
    const { app, ask } = openApi()
    for (const response of [
      await ask('/v1/tasks'),
      await app.request('/v1/tasks'),
      await app.request('/nowhere'),
      await app.request('/'),
    ]) {
      const headers = Object.fromEntries(response.headers)
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
        'cache-control': 'no-store',
        'x-request-id': expect.any(String),
      })
      expect(headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
      expect(headers['content-security-policy']).not.toContain('unsafe')
    }
  })
})
