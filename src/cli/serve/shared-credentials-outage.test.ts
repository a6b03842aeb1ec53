// Who is let in while the database is away: this door's own token, and nobody who would have to be looked up.
import { expect, it, onTestFinished, vi } from 'vitest'
import { type PostgresOptions, startPostgres } from '../../../test/support/postgres/server.ts'
import { tcpProxy } from '../../../test/support/tcp-proxy.ts'
import { type Door, twoDoors } from '../../../test/support/two-doors.ts'
import { rotateToken } from '../../api/auth/token.ts'
import { errorOf } from '../../api/fixtures/open-api.ts'
import { SseReader } from '../../api/fixtures/sse-reader.ts'

const AWAY = { status: 503, code: 'database-unreachable' }
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

async function ownServer(options: PostgresOptions = {}) {
  const server = await startPostgres(options)
  onTestFinished(() => server.close())
  return server
}

async function refusal({ app }: Door, headers: Record<string, string>, path = '/v1/status', method = 'GET') {
  return errorOf(await app.request(path, { method, headers }))
}

async function logIn({ makeLoginLink, app }: Door): Promise<string> {
  const response = await app.request((await makeLoginLink()).url)
  return response.headers.get('set-cookie')!.split(';')[0]!
}

it('a stopped database: the own token works, others get 503, nobody gets in, and all is well afterwards', async () => {
  const server = await ownServer()
  const { a, b } = await twoDoors({ url: server.url('postgres') })
  const cookie = await logIn(a)
  const link = await a.makeLoginLink()
  expect([await b.status(bearer(a.token)), await b.status({ cookie })]).toEqual([200, 200])
  await server.stop()
  expect(await b.status(bearer(b.token))).toBe(200)
  expect(await refusal(b, bearer(a.token))).toMatchObject(AWAY)
  expect(await refusal(b, { cookie })).toMatchObject(AWAY)
  expect(await refusal(b, bearer('x'.repeat(43)))).toMatchObject(AWAY)
  expect(await refusal(b, {}, link.url)).toMatchObject(AWAY)
  for (const path of ['/v1/login-links', '/v1/logout'])
    expect(
      await refusal(b, path === '/v1/logout' ? { cookie } : bearer(b.token), path, 'POST'),
    ).toMatchObject(AWAY)
  expect(await refusal(b, bearer(b.token), '/v1/logins')).toMatchObject(AWAY)
  const refused = await b.app.request('/v1/status', { headers: bearer(a.token) })
  expect([refused.headers.get('retry-after'), refused.headers.get('www-authenticate')]).toEqual(['1', null])
  // What is none by its looks needs no database to be refused.
  const useless: Record<string, string>[] = [{}, bearer('short'), { cookie: 'drawbridge=x' }]
  for (const headers of useless) expect(await refusal(b, headers)).toMatchObject({ status: 401 })
  expect(b.outages).toHaveLength(1)
  await server.start()
  expect([await b.status(bearer(a.token)), await b.status({ cookie })]).toEqual([200, 200])
  expect(await b.status(bearer('x'.repeat(43)))).toBe(401)
  expect((await b.app.request(link.url)).status).toBe(303)
})

it('streams outlive a database that is away for less than ten seconds, and no longer', async () => {
  const server = await ownServer()
  let now = Date.now()
  const limits = { revokedMs: 20 }
  const { a, b } = await twoDoors({ url: server.url('postgres'), now: () => now, limits })
  const cookie = await logIn(a)
  const stream = async (headers: Record<string, string>) =>
    new SseReader(await b.app.request('/v1/tasks/task-1/events/stream', { headers }))
  const [own, byToken, byCookie] = [
    await stream(bearer(b.token)),
    await stream(bearer(a.token)),
    await stream({ cookie }),
  ]
  b.instead('wait', (_: string, { signal }: { signal: AbortSignal }) => aborted(signal))
  const waiting = b.app.request('/v1/tasks/task-1/wait', { method: 'POST', headers: { cookie } })
  await vi.waitUntil(() => b.streams.count === 4)
  await server.stop()
  await vi.waitUntil(() => b.outages.length > 0)
  now += 5000
  await b.streams.closeRevoked()
  expect(b.streams.count).toBe(4)
  now += 10_000
  await Promise.all([byToken.toEnd(), byCookie.toEnd()])
  expect([byToken.comments, byCookie.comments].flat()).toEqual([
    'the database cannot be reached',
    'the database cannot be reached',
  ])
  expect(await errorOf(await waiting)).toMatchObject(AWAY)
  expect(b.streams.count).toBe(1)
  await own.leave()
})

it('a database that does not answer: 503 after two seconds, however many ask, and the own token at once', async () => {
  const server = await ownServer()
  const proxy = await tcpProxy(server.port)
  const url = proxy.through(server.url('postgres'))
  const { a, b } = await twoDoors({ url })
  proxy.freeze()
  const startedAt = performance.now()
  const asked = Array.from({ length: 300 }, (_, n) => refusal(b, bearer(String(n).padStart(43, 'x'))))
  const known = refusal(b, bearer(a.token))
  expect(await b.status(bearer(b.token))).toBe(200)
  expect(performance.now() - startedAt).toBeLessThan(1500)
  for (const answer of [...(await Promise.all(asked)), await known]) expect(answer).toMatchObject(AWAY)
  const waitedMs = performance.now() - startedAt
  expect(waitedMs).toBeGreaterThan(1900)
  expect(waitedMs).toBeLessThan(6000)
  proxy.thaw()
  await vi.waitUntil(async () => (await b.status(bearer(a.token))) === 200, { timeout: 10_000, interval: 50 })
})

it('a token rotated meanwhile counts at its own door, and is known to the others once the database is back', async () => {
  // An immediate stop loses commits that are not on disk, the migration among them.
  const server = await ownServer({ isDurable: true })
  const { a, b } = await twoDoors({ url: server.url('postgres') })
  await server.stop('immediate')
  const next = rotateToken(a.dataDir)
  expect(await a.status(bearer(next))).toBe(200)
  expect(await a.status(bearer(a.token))).toBe(503)
  await server.start()
  await vi.waitUntil(async () => (await b.status(bearer(next))) === 200, { timeout: 5000, interval: 50 })
  expect([await a.status(bearer(a.token)), await b.status(bearer(a.token))]).toEqual([401, 401])
})

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
}
