// What is made at one door of a shared PostgreSQL is good at the other, and what is revoked at one is refused at both.
import { rmSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { isInRows } from '../../../test/support/test-store.ts'
import { type Door, twoDoors } from '../../../test/support/two-doors.ts'
import { rotateToken, tokenFile } from '../../api/auth/token.ts'
import { errorOf } from '../../api/fixtures/open-api.ts'
import { serve } from '../../api/fixtures/serve.ts'
import { SseReader } from '../../api/fixtures/sse-reader.ts'
import { openPostgres } from '../../store/index.ts'
import { sharedCredentials } from './shared-credentials.ts'

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

async function cookieFrom(response: Response): Promise<string> {
  return response.headers.get('set-cookie')!.split(';')[0]!
}

async function logIn({ makeLoginLink }: Door, at: Door): Promise<string> {
  return cookieFrom(await at.app.request((await makeLoginLink()).url))
}

/** A stream that is being followed. */
async function follow({ app, streams }: Door, headers: Record<string, string>): Promise<SseReader> {
  const before = streams.count
  const reader = new SseReader(await app.request('/v1/tasks/task-1/events/stream', { headers }))
  await vi.waitUntil(() => streams.count === before + 1)
  return reader
}

/** Streams are looked at when the test says so, and only then. */
const NO_LOOKS = { limits: { revokedMs: 600_000 } }

/** As `drawbridge token rotate` does: the new token is in the file, and the service has told the other doors of it. */
async function rotate({ dataDir, app }: Door): Promise<string> {
  const next = rotateToken(dataDir)
  expect((await app.request('/v1/logins', { headers: bearer(next) })).status).toBe(200)
  return next
}

describe('a token', () => {
  it('is good at both doors, acts under its name, and no other is', async () => {
    const { a, b } = await twoDoors()
    expect([await a.status(bearer(a.token)), await a.status(bearer(b.token))]).toEqual([200, 200])
    expect([await b.status(bearer(a.token)), await b.status(bearer(b.token))]).toEqual([200, 200])
    const status = await b.app.request('/v1/status', {
      headers: { ...bearer(a.token), 'drawbridge-actor': 'cli:alice' },
    })
    expect(await status.json()).toMatchObject({ actor: 'api:cli:alice' })
    for (const wrong of [a.token.slice(1), `${a.token}x`, `${a.token.slice(1)}x`, 'x'.repeat(43)])
      expect(await b.status(bearer(wrong))).toBe(401)
  })

  it('that is rotated is refused at the other door from then on, with its logins; a look ends its streams', async () => {
    const { a, b } = await twoDoors(NO_LOOKS)
    const cookie = await logIn(a, b)
    const ownCookie = await logIn(b, b)
    const [byToken, byCookie] = [await follow(b, bearer(a.token)), await follow(b, { cookie })]
    // Known there, so that a door that trusts its memory would let it in.
    expect([await b.status(bearer(a.token)), await b.status({ cookie })]).toEqual([200, 200])
    const next = await rotate(a)
    expect([await b.status(bearer(a.token)), await b.status({ cookie })]).toEqual([401, 401])
    await b.streams.closeRevoked()
    await Promise.all([byToken.toEnd(), byCookie.toEnd()])
    expect([byToken.comments, byCookie.comments]).toEqual([['no longer let in'], ['no longer let in']])
    expect(await b.status(bearer(next))).toBe(200)
    expect([await a.status({ cookie: ownCookie }), await b.status({ cookie: ownCookie })]).toEqual([200, 200])
  })

  it('that is gone from its folder is refused everywhere', async () => {
    const { a, b } = await twoDoors()
    expect(await b.status(bearer(a.token))).toBe(200)
    rmSync(tokenFile(a.dataDir))
    expect(await a.status(bearer(a.token))).toBe(401)
    expect((await a.app.request('/v1/logins', { headers: bearer(b.token) })).status).toBe(200)
    expect(await b.status(bearer(a.token))).toBe(401)
  })
})

describe('a login link', () => {
  it('made at one door is opened at the other, once', async () => {
    const { a, b } = await twoDoors()
    const { url } = await a.makeLoginLink()
    const opened = await b.app.request(url)
    expect(opened.status).toBe(303)
    const cookie = await cookieFrom(opened)
    expect([await a.status({ cookie }), await b.status({ cookie })]).toEqual([200, 200])
    expect([(await a.app.request(url)).status, (await b.app.request(url)).status]).toEqual([403, 403])
  })

  it('opened at both doors at once lets one in', async () => {
    const { a, b } = await twoDoors()
    for (let round = 0; round < 20; round++) {
      const { url } = await (round % 2 ? a : b).makeLoginLink()
      const opened = await Promise.all([a, b, a, b].map(async ({ app }) => app.request(url)))
      expect(opened.map(({ status }) => status).toSorted()).toEqual([303, 403, 403, 403])
    }
    const { items } = (await (await a.ask('/v1/logins')).json()) as { items: object[] }
    expect(items).toHaveLength(20)
  })

  it('made with the token of the other door ends with that token', async () => {
    const { a, b } = await twoDoors()
    const make = () =>
      b.app.request('/v1/login-links', { method: 'POST', headers: bearer(a.token) }) as Promise<Response>
    const [used, unused] = [await (await make()).json(), await (await make()).json()] as { url: string }[]
    const cookie = await cookieFrom(await b.app.request(used!.url))
    expect(await b.status({ cookie })).toBe(200)
    await rotate(a)
    expect(await b.status({ cookie })).toBe(401)
    expect((await b.app.request(unused!.url)).status).toBe(403)
  })

  it('says what ends it', async () => {
    const { a } = await twoDoors()
    const page = await (await a.app.request(`/login?code=${'x'.repeat(43)}`)).text()
    expect(page).toContain('once, within ten minutes, until there is a new token')
  })
})

describe('a login', () => {
  it('is listed and revoked at any door, and refused at all of them when the call returns; a look ends its streams', async () => {
    const { a, b } = await twoDoors(NO_LOOKS)
    const [cookie, other] = [await logIn(a, b), await logIn(b, b)]
    const [revoked, stays] = [await follow(b, { cookie }), await follow(b, { cookie: other })]
    const list = await a.app.request('/v1/logins', { headers: { cookie } })
    const { items } = (await list.json()) as { items: { id: string; isThis: boolean }[] }
    expect(items.map(({ isThis }) => isThis).toSorted()).toEqual([false, true])
    const { id } = items.find(({ isThis }) => isThis)!
    expect(await b.status({ cookie })).toBe(200)
    expect((await a.ask(`/v1/logins/${id}`, { method: 'DELETE' })).status).toBe(204)
    expect([await a.status({ cookie }), await b.status({ cookie })]).toEqual([401, 401])
    await b.streams.closeRevoked()
    await revoked.toEnd()
    expect(revoked.comments).toEqual(['no longer let in'])
    expect(await b.status({ cookie: other })).toBe(200)
    await stays.leave()
  })

  it('ends at both doors with logout at one', async () => {
    const { a, b } = await twoDoors()
    const cookie = await logIn(a, b)
    expect((await a.app.request('/v1/logout', { method: 'POST', headers: { cookie } })).status).toBe(204)
    expect([await a.status({ cookie }), await b.status({ cookie })]).toEqual([401, 401])
  })

  it('that has expired by the clock of the database is refused', async () => {
    const { a, b } = await twoDoors()
    const cookie = await logIn(a, a)
    await a.db.updateTable('door_logins').set({ expires_at: Date.now() }).execute()
    expect(await b.status({ cookie })).toBe(401)
    expect(await (await b.ask('/v1/logins')).json()).toEqual({ items: [] })
  })

  it('cannot be forged: any character, or words of SQL', async () => {
    const { a, b } = await twoDoors()
    const cookie = await logIn(a, a)
    expect(await b.status({ cookie })).toBe(200)
    for (let at = 'drawbridge='.length; at < cookie.length; at++) {
      const forged = cookie.slice(0, at) + (cookie[at] === 'A' ? 'B' : 'A') + cookie.slice(at + 1)
      expect([at, await b.status({ cookie: forged })]).toEqual([at, 401])
    }
    const id = cookie.slice('drawbridge='.length).split('.')[0]
    for (const forged of [
      `${id}.`,
      `${id}`,
      `${id}.' or '1'='1`,
      `${id}'--.${'A'.repeat(43)}`,
      `%25.${'A'.repeat(43)}`,
      "'%3B drop table door_logins%3B--",
    ])
      expect([forged, await b.status({ cookie: `drawbridge=${forged}` })]).toEqual([forged, 401])
    expect(await b.status({ cookie })).toBe(200)
  })
})

describe('guessing', () => {
  const limits = { burst: 5, requestsPerSecond: 0 }
  const guess = (n: number) => String(n).padStart(43, 'x')

  it('is no load on the database, and keeps out nobody who is known', async () => {
    const { a, b } = await twoDoors({ limits: { ...limits, burst: 20 } })
    const cookie = await logIn(a, b)
    expect([await b.status(bearer(a.token)), await b.status({ cookie })]).toEqual([200, 200])
    b.asked.length = 0
    const answers: number[] = []
    for (let n = 0; n < 60; n++) {
      answers.push(await b.status(bearer(guess(n))))
      answers.push(await b.status({ cookie: `drawbridge=${guess(n).slice(0, 22)}.${guess(n)}` }))
      answers.push((await b.app.request(`/login?code=${guess(n)}`)).status)
    }
    const searches = b.asked.filter((name) => name !== 'publishToken')
    expect(searches.length).toBe(20)
    expect(answers.filter((status) => status === 429)).toHaveLength(160)
    expect([await b.status(bearer(a.token)), await b.status({ cookie })]).toEqual([200, 200])
    expect(await b.status(bearer(b.token))).toBe(200)
  })

  it('with the id of a login is counted as well', async () => {
    const { a, b } = await twoDoors({ limits })
    const cookie = await logIn(a, b)
    const forged = `${cookie.slice(0, -43)}${'A'.repeat(43)}`
    const answers: number[] = []
    for (let n = 0; n < 8; n++) answers.push(await b.status({ cookie: forged }))
    expect(answers).toEqual([401, 401, 401, 401, 401, 429, 429, 429])
  })

  it('costs those who are right nothing', async () => {
    const { a, b } = await twoDoors({ limits })
    for (let n = 0; n < 4; n++) await logIn(a, b)
    const cookie = await logIn(a, b)
    expect((await b.app.request((await a.makeLoginLink()).url)).status).toBe(303)
    expect([await b.status({ cookie }), await b.status(bearer(a.token))]).toEqual([200, 200])
  })
})

it('a service that is stopped leaves its token, logins and links good at the others', async () => {
  const { a, b, url } = await twoDoors()
  const { db, close } = await openPostgres({ url, poolSize: 2 })
  const served = await serve({ credentials: sharedCredentials(db, 'worker-c') })
  const here = await fetch(`${served.url}/v1/status`, { headers: bearer(a.token) })
  const link = new URL((await served.makeLoginLink()).url)
  await served.close()
  await close()
  expect([here.status, await b.status(bearer(served.token))]).toEqual([200, 200])
  const cookie = await cookieFrom(await a.app.request(link.pathname + link.search))
  expect(await b.status({ cookie })).toBe(200)
})

it('no token, cookie or code is in the database', async () => {
  const { a, b, url } = await twoDoors()
  const link = await a.makeLoginLink()
  const cookie = await logIn(b, a)
  await b.status(bearer(a.token))
  await b.status({ cookie })
  const secret = cookie.split('.')[1]!
  const code = new URL(link.url).searchParams.get('code')!
  for (const plain of [a.token, b.token, secret, code]) expect(await isInRows(url, plain)).toBe(false)
  expect(await isInRows(url, 'worker-a')).toBe(true)
})

it('an error tells a client nothing of the database', async () => {
  const { a, b } = await twoDoors()
  await b.db.schema.dropTable('door_tokens').execute()
  const response = await b.app.request('/v1/status', { headers: bearer(a.token) })
  const error = await errorOf(response)
  expect(error).toMatchObject({ status: 503, code: 'database-unreachable' })
  expect(JSON.stringify(error)).not.toContain('door_tokens')
  expect(b.outages.map(String)).toEqual([expect.stringContaining('door_tokens')])
})
