import { describe, expect, it } from 'vitest'
import { errorOf, openApi, type TestApi } from '../fixtures/open-api.ts'
import { rotateToken } from './token.ts'

const UNAUTHORIZED = { status: 401, code: 'unauthorized' }

describe('every route but three', () => {
  it('needs a credential, known or not', async () => {
    const api = openApi()
    const document = (await (await api.ask('/openapi.json')).json()) as { paths: Record<string, object> }
    const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map(
        (method) => [method.toUpperCase(), path.replace(/\{\w+\}/g, 'task-1')] as const,
      ),
    )
    const all = [
      ...routes.filter(([, path]) => path !== '/healthz'),
      ['GET', '/openapi.json'],
      ['GET', '/v1/unknown'],
      ['PUT', '/v1'],
    ]
    expect(routes.length).toBeGreaterThan(30)
    api.calls.length = 0
    for (const [method, path] of all) {
      const response = await api.app.request(path!, { method: method! })
      expect([method, path, await errorOf(response)]).toMatchObject([method, path, UNAUTHORIZED])
    }
    expect(api.calls).toEqual([])
  })

  it('is closed to spellings of its path', async () => {
    const api = openApi()
    for (const path of [
      '/v%31/tasks',
      '/%76%31/tasks',
      '/v1/tasks/',
      '/v1//tasks',
      '//v1/tasks',
      '/V1/tasks',
      '/v1/./tasks',
    ])
      expect([path, [401, 404].includes((await api.app.request(path)).status)]).toEqual([path, true])
    expect(api.calls).toEqual([])
  })

  it('answers the three without facts', async () => {
    const { app } = openApi()
    expect(await (await app.request('/healthz')).json()).toEqual({ status: 'ok' })
    expect(await (await app.request('/')).text()).toContain('Drawbridge is running')
    expect((await app.request('/login?code=x')).status).toBe(403)
  })
})

describe('the token', () => {
  const status = async ({ app }: TestApi, headers: Record<string, string>, path = '/v1/status') =>
    (await app.request(path, { headers })).status

  it('is taken from the header only, and must be right', async () => {
    const api = openApi()
    const { token } = api
    expect(await status(api, { authorization: `Bearer ${token}` })).toBe(200)
    expect(await status(api, { authorization: `bearer   ${token}` })).toBe(200)
    for (const wrong of [
      token,
      `Bearer ${token}x`,
      `Bearer ${token.slice(1)}`,
      'Bearer',
      'Bearer ',
      `Basic ${token}`,
    ])
      expect([wrong, await status(api, { authorization: wrong })]).toEqual([wrong, 401])
    expect(
      await status(api, {}, `/v1/status?token=${token}&access_token=${token}&authorization=Bearer+${token}`),
    ).toBe(401)
  })

  it('asks for itself as the standard says', async () => {
    const response = await openApi().app.request('/v1/status')
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="drawbridge"')
  })

  it('counts no longer once it is rotated', async () => {
    const api = openApi()
    const next = rotateToken(api.dataDir)
    expect(await status(api, { authorization: `Bearer ${api.token}` })).toBe(401)
    expect(await status(api, { authorization: `Bearer ${next}` })).toBe(200)
  })

  it('acts for whom it says, in 80 printable characters', async () => {
    const api = openApi()
    await api.ask('/v1/tasks/task-1/interrupt', {
      method: 'POST',
      headers: { 'drawbridge-actor': 'cli:alice' },
    })
    expect(api.calls).toEqual([['interrupt', 'task-1', { actor: 'api:cli:alice' }, {}]])
    const jo = await api.ask('/v1/status', { headers: { 'drawbridge-actor': 'cli:J%C3%BCrgen %' } })
    expect(await jo.json()).toMatchObject({ actor: 'api:cli:J%C3%BCrgen %' })
    const name = await api.ask('/v1/status', { headers: { 'drawbridge-actor': 'cli:J%C3%BCrgen 100%25' } })
    expect(await name.json()).toMatchObject({ actor: 'api:cli:Jürgen 100%' })
    for (const actor of ['x'.repeat(81), 'a\tb', 'é', '%0a', 'a%E2%80%AEb', ' '])
      expect((await api.ask('/v1/status', { headers: { 'drawbridge-actor': actor } })).status).toBe(400)
  })
})

describe('a login link', () => {
  it('is made with the token, sets a strict cookie once, and leads to the console', async () => {
    const api = openApi()
    const made = await api.ask('/v1/login-links', { method: 'POST' })
    expect(made.status).toBe(201)
    const { url } = (await made.json()) as { url: string }
    const response = await api.app.request(url)
    expect([response.status, response.headers.get('location')]).toEqual([303, '/'])
    expect(response.headers.get('set-cookie')).toMatch(
      /^drawbridge=[\w.-]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/,
    )
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect((await api.app.request(url)).status).toBe(403)
  })

  it('marks the cookie as secure over TLS', async () => {
    const api = openApi({ publicUrl: () => 'https://localhost' })
    const response = await api.app.request((await api.makeLoginLink()).url)
    expect(response.headers.get('set-cookie')).toContain('; Secure')
  })

  it('marks the cookie as secure behind a proxy that has TLS, and only for whoever came by it', async () => {
    const api = openApi({
      publicUrl: () => 'https://bridge.example.com',
      allowHosts: ['bridge.example.com'],
    })
    const cookieAt = async (host: string) => {
      const { pathname, search } = new URL((await api.makeLoginLink()).url)
      const response = await api.app.request(`http://${host}${pathname}${search}`)
      return response.headers.get('set-cookie')
    }
    expect(await cookieAt('bridge.example.com')).toContain('; Secure')
    expect(await cookieAt('127.0.0.1:4100')).not.toContain('Secure')
  })

  it('dies with the token it was made under, and says how to have another', async () => {
    const api = openApi()
    const { url } = await api.makeLoginLink()
    rotateToken(api.dataDir)
    const response = await api.app.request(url)
    expect([response.status, response.headers.get('set-cookie')]).toEqual([403, null])
    expect(await response.text()).toContain('drawbridge login-link')
    expect((await api.app.request((await api.makeLoginLink()).url)).status).toBe(303)
  })

  it('is not used up by whoever only looks', async () => {
    const api = openApi()
    const { url } = await api.makeLoginLink()
    await api.app.request(url, { method: 'HEAD' })
    await api.app.request(url, { headers: { 'sec-purpose': 'prefetch;prerender' } })
    expect((await api.app.request(url)).status).toBe(303)
  })

  it('expires after ten minutes', async () => {
    let now = 1_000_000
    const api = openApi({ now: () => now })
    const { url, expiresAt } = await api.makeLoginLink()
    expect(expiresAt).toBe(1_600_000)
    now = expiresAt
    expect((await api.app.request(url)).status).toBe(403)
  })
})

describe('a cookie', () => {
  it('lets the console in, as the console', async () => {
    const api = openApi()
    const cookie = await logIn(api)
    await api.app.request('/v1/tasks/task-1/interrupt', { method: 'POST', headers: { cookie } })
    expect(api.calls).toEqual([['interrupt', 'task-1', { actor: 'console' }, {}]])
  })

  it('may do nothing that is for the token alone', async () => {
    const api = openApi({ onShutdown: () => expect.unreachable() })
    const cookie = await logIn(api)
    for (const path of ['/v1/shutdown', '/v1/login-links', '/v1/tasks/task-1/terminal']) {
      const response = await api.app.request(path, { method: 'POST', headers: { cookie } })
      expect(await errorOf(response)).toMatchObject({ status: 403, code: 'token-required' })
    }
  })

  it('cannot be changed in any character', async () => {
    const api = openApi()
    const cookie = await logIn(api)
    expect(await statusWith(api, cookie)).toBe(200)
    for (let at = 'drawbridge='.length; at < cookie.length; at++) {
      const other = cookie[at] === 'A' ? 'B' : 'A'
      expect([at, await statusWith(api, cookie.slice(0, at) + other + cookie.slice(at + 1))]).toEqual([
        at,
        401,
      ])
    }
    for (const forged of [
      cookie.slice(0, -1),
      `${cookie}A`,
      'drawbridge=',
      'drawbridge=..',
      'drawbridge=__proto__.1.x',
    ])
      expect(await statusWith(api, forged)).toBe(401)
  })

  it('does not stand in for a wrong token', async () => {
    const api = openApi()
    const headers = { cookie: await logIn(api), authorization: 'Bearer wrong' }
    expect((await api.app.request('/v1/status', { headers })).status).toBe(401)
  })

  it('expires after 30 days', async () => {
    let now = 0
    const api = openApi({ now: () => now })
    const cookie = await logIn(api)
    now = 30 * 24 * 3_600_000 - 1
    expect(await statusWith(api, cookie)).toBe(200)
    now++
    expect(await statusWith(api, cookie)).toBe(401)
  })

  it('outlives the service, and ends with logout for good', async () => {
    const api = openApi()
    const [cookie, other] = [await logIn(api), await logIn(api)]
    const again = openApi({ dataDir: api.dataDir })
    expect(await statusWith(again, cookie)).toBe(200)
    const out = await again.app.request('/v1/logout', { method: 'POST', headers: { cookie } })
    expect([out.status, out.headers.get('set-cookie')]).toEqual([204, 'drawbridge=; Max-Age=0; Path=/'])
    expect(await statusWith(again, cookie)).toBe(401)
    expect(await statusWith(openApi({ dataDir: api.dataDir }), cookie)).toBe(401)
    expect(await statusWith(openApi({ dataDir: api.dataDir }), other)).toBe(200)
  })

  it('ends with the token it was made under', async () => {
    const api = openApi()
    const cookie = await logIn(api)
    rotateToken(api.dataDir)
    expect(await statusWith(api, cookie)).toBe(401)
  })

  it('can be seen and revoked', async () => {
    const api = openApi()
    const [cookie, other] = [await logIn(api), await logIn(api)]
    const logins = await api.app.request('/v1/logins', { headers: { cookie } })
    const { items } = (await logins.json()) as { items: { id: string; isThis: boolean }[] }
    expect(items.map(({ isThis }) => isThis)).toEqual([true, false])
    expect(JSON.stringify(items)).not.toContain('mark')
    const revoked = await api.ask(`/v1/logins/${items[1]!.id}`, { method: 'DELETE' })
    expect(revoked.status).toBe(204)
    expect([await statusWith(api, cookie), await statusWith(api, other)]).toEqual([200, 401])
  })
})

async function logIn({ app, makeLoginLink }: TestApi): Promise<string> {
  const response = await app.request((await makeLoginLink()).url)
  return response.headers.get('set-cookie')!.split(';')[0]!
}

async function statusWith({ app }: TestApi, cookie: string): Promise<number> {
  return (await app.request('/v1/status', { headers: { cookie } })).status
}
