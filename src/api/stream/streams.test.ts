import { describe, expect, it, vi } from 'vitest'
import { rotateToken } from '../auth/token.ts'
import { errorOf, openApi, type TestApi } from '../fixtures/open-api.ts'
import { SseReader } from '../fixtures/sse-reader.ts'

const PATH = '/v1/tasks/task-1/events/stream'
const frame = (n: number) => `{"method":"n","params":{"n":${n}}}`

const follow = async (api: TestApi, path = PATH, headers: Record<string, string> = {}) =>
  new SseReader(await api.ask(path, { headers }))

describe('a stream', () => {
  it('has what is stored, then what comes, with sequences as ids', async () => {
    const api = openApi()
    api.log.append(frame(1))
    const response = await api.ask(PATH)
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const reader = new SseReader(response)
    await reader.until(() => reader.messages.length === 1)
    api.log.append(frame(2))
    await reader.until(() => reader.messages.length === 2)
    expect(reader.messages).toEqual([
      { id: '1', data: `{"taskId":"task-1","seq":1,"at":1000,"event":${frame(1)}}` },
      { id: '2', data: `{"taskId":"task-1","seq":2,"at":1000,"event":${frame(2)}}` },
    ])
    await reader.leave()
  })

  it('begins after the last event the client had, or after a sequence', async () => {
    const api = openApi()
    for (let n = 1; n <= 5; n++) api.log.append(frame(n))
    const after = await follow(api, `${PATH}?after=3`)
    await after.until(() => after.messages.length === 2)
    expect(after.ids).toEqual(['4', '5'])
    const resumed = await follow(api, `${PATH}?after=1`, { 'last-event-id': '4' })
    await resumed.until(() => resumed.messages.length === 1)
    expect(resumed.ids).toEqual(['5'])
  })

  it('is also had by asking the events for one', async () => {
    const api = openApi()
    api.log.append(frame(1))
    const reader = await follow(api, '/v1/tasks/task-1/events', { accept: 'text/event-stream' })
    await reader.until(() => reader.messages.length === 1)
    expect(reader.ids).toEqual(['1'])
  })

  it('keeps each event in one message whatever is in it', async () => {
    const api = openApi()
    api.log.append('{"method":"x",\r\n"params":"\u2028 é 🙂"\r}')
    const reader = await follow(api)
    await reader.until(() => reader.messages.length === 1)
    expect(JSON.parse(reader.messages[0]!.data).event).toEqual({ method: 'x', params: '\u2028 é 🙂' })
  })

  it('of all tasks has no ids, and only what comes', async () => {
    const api = openApi()
    api.log.append(frame(1))
    const reader = await follow(api, '/v1/stream')
    await vi.waitUntil(() => api.log.followers === 1)
    api.log.append(frame(2), 'task-2')
    await reader.until(() => reader.messages.length === 1)
    expect(reader.messages).toEqual([{ id: undefined, data: expect.stringContaining('"taskId":"task-2"') }])
  })

  it('refuses a task that is not there, and ids that are none', async () => {
    const api = openApi()
    expect(await errorOf(await api.ask('/v1/tasks/other/events/stream'))).toMatchObject({
      code: 'task-not-found',
    })
    for (const id of ['x', '-1', '1.5', '9'.repeat(16)])
      expect((await api.ask(PATH, { headers: { 'last-event-id': id } })).status).toBe(400)
    expect(api.streams.count).toBe(0)
  })

  it('is heard from while nothing happens', async () => {
    const reader = await follow(openApi({ limits: { heartbeatMs: 10 } }))
    await reader.until(() => reader.comments.length === 2)
    expect(reader.comments).toEqual(['here', 'here'])
  })

  it('ends when its task is deleted', async () => {
    const api = openApi()
    const reader = await follow(api)
    await vi.waitUntil(() => api.log.followers === 1)
    api.log.end()
    await reader.toEnd()
    expect(api.streams.count).toBe(0)
  })

  it('lets go of the log when its reader leaves', async () => {
    const api = openApi()
    const reader = await follow(api)
    await vi.waitUntil(() => api.log.followers === 1)
    await reader.leave()
    await vi.waitUntil(() => api.log.followers === 0)
    expect(api.streams.count).toBe(0)
  })

  it('lets go when the client left before it began', async () => {
    const api = openApi()
    const gone = new AbortController()
    api.instead('get', () => gone.abort())
    await api.ask(PATH, { signal: gone.signal })
    await vi.waitUntil(() => api.log.followers === 0)
    expect(api.streams.count).toBe(0)
  })

  it('is not begun for somebody who only asks for its headers', async () => {
    const api = openApi()
    expect((await api.ask(PATH, { method: 'HEAD' })).status).toBe(200)
    expect([api.streams.count, api.log.follows]).toEqual([0, 0])
  })

  it('ends for one whose token no longer counts', async () => {
    const api = openApi({ limits: { revokedMs: 10 } })
    const reader = await follow(api)
    rotateToken(api.dataDir)
    await reader.toEnd()
    expect(reader.comments).toEqual(['no longer let in'])
    expect(api.streams.count).toBe(0)
  })

  it('ends at once for a browser that is revoked, and for no other', async () => {
    const api = openApi()
    const [revoked, other] = [await browser(api), await browser(api)]
    const { items } = (await (await api.ask('/v1/logins')).json()) as { items: { id: string }[] }
    await api.ask(`/v1/logins/${items[0]!.id}`, { method: 'DELETE' })
    api.log.append(frame(1))
    await revoked.toEnd()
    expect([revoked.ids, revoked.comments]).toEqual([[], ['no longer let in']])
    await other.until(() => other.messages.length === 1)
    await other.leave()
  })

  it('says so when the service stops, and ends', async () => {
    const api = openApi()
    const reader = await follow(api)
    api.streams.closeAll('the service is stopping')
    await reader.toEnd()
    expect(reader.comments).toEqual(['the service is stopping'])
    expect(await errorOf(await api.ask(PATH))).toMatchObject({ status: 503, code: 'unavailable' })
  })

  it('ends when the log breaks, and the error is reported', async () => {
    const api = openApi()
    const broken = new Error('broken')
    api.service.follow = async function* () {
      yield api.log.append(frame(1))
      throw broken
    }
    const reader = await follow(api)
    await reader.toEnd()
    expect([reader.ids, api.errors]).toEqual([['1'], [broken]])
  })
})

describe('streams', () => {
  it('are counted by caller', async () => {
    const api = openApi({ limits: { streamsPerCaller: 2 } })
    const [first] = [await follow(api), await follow(api)]
    const refused = await api.ask(PATH)
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(await errorOf(refused)).toMatchObject({ status: 429, code: 'too-many-streams' })
    await first.leave()
    await follow(api)
  })

  it('of one caller keep out neither its long polls nor another caller', async () => {
    const api = openApi()
    for (let n = 0; n < 64; n++) await follow(api)
    expect((await api.ask(PATH)).status).toBe(429)
    expect((await api.ask('/v1/tasks/task-1/wait', { method: 'POST' })).status).toBe(200)
    const other = { headers: { 'drawbridge-actor': 'other' } }
    expect((await api.ask('/v1/tasks/task-1/wait', { method: 'POST', ...other })).status).toBe(200)
    expect((await api.ask(PATH, other)).status).toBe(200)
  })

  it('of callers with made-up names are bounded together, and still keep no long poll out', async () => {
    const api = openApi({ limits: { openPerCredential: 3 } })
    for (let n = 0; n < 3; n++) await follow(api, PATH, { 'drawbridge-actor': `name-${n}` })
    expect(await errorOf(await api.ask(PATH))).toMatchObject({
      status: 429,
      message: 'at most 3 streams of all callers at once',
    })
    expect((await api.ask('/v1/tasks/task-1/wait', { method: 'POST' })).status).toBe(200)
  })

  it('and long polls each have a limit, and end with the service', async () => {
    const api = openApi({ limits: { waitsPerCaller: 1 } })
    api.instead('wait', (_: string, { signal }: { signal: AbortSignal }) => aborted(signal))
    const waiting = api.ask('/v1/tasks/task-1/wait', { method: 'POST' })
    await vi.waitUntil(() => api.streams.count === 1)
    expect((await api.ask('/v1/tasks/task-1/wait', { method: 'POST' })).status).toBe(429)
    api.streams.closeAll('the service is stopping')
    expect(await errorOf(await waiting)).toMatchObject({ status: 503, code: 'unavailable' })
    expect(api.streams.count).toBe(0)
  })

  it('and long polls end with their credential', async () => {
    const api = openApi({ limits: { revokedMs: 10 } })
    api.instead('wait', (_: string, { signal }: { signal: AbortSignal }) => aborted(signal))
    const waiting = api.ask('/v1/tasks/task-1/wait', { method: 'POST' })
    await vi.waitUntil(() => api.streams.count === 1)
    rotateToken(api.dataDir)
    expect(await errorOf(await waiting)).toMatchObject({ status: 401, code: 'unauthorized' })
  })
})

describe('a slow reader', () => {
  const limits = { streamBuffer: 1000, behindMs: 20 }
  const COUNT = 500

  it('is let go by the log, and goes on from it without gap or double', async () => {
    const api = openApi({ limits })
    const reader = await follow(api)
    await reader.read()
    for (let n = 1; n <= COUNT; n++) api.log.append(frame(n))
    await vi.waitUntil(() => api.log.follows === 1 && api.log.followers === 0)
    await reader.until(() => reader.messages.length === COUNT)
    expect(reader.ids).toEqual(Array.from({ length: COUNT }, (_, index) => String(index + 1)))
    expect(api.log.follows).toBeGreaterThan(1)
    await reader.leave()
  })

  it('is never kept more than the buffer and one event', async () => {
    const api = openApi({ limits })
    const reader = await follow(api)
    for (let n = 1; n <= COUNT; n++) api.log.append(frame(n))
    await vi.waitUntil(() => api.log.follows === 1 && api.log.followers === 0)
    await reader.read()
    expect(reader.messages.map(({ data }) => data).join('').length).toBeLessThan(1500)
    await reader.leave()
  })

  it('of all tasks has to start over', async () => {
    const api = openApi({ limits })
    const reader = await follow(api, '/v1/stream')
    await vi.waitUntil(() => api.log.followers === 1)
    for (let n = 1; n <= COUNT; n++) api.log.append(frame(n))
    await vi.waitUntil(() => api.log.followers === 0)
    await reader.toEnd()
    expect(reader.messages.length).toBeLessThan(COUNT)
  })

  it('that takes nothing at all is disconnected', async () => {
    const api = openApi({ limits: { heartbeatMs: 10, stalledMs: 30 } })
    const disconnected = Promise.withResolvers<void>()
    const headers = { authorization: `Bearer ${api.token}` }
    const outgoing = { destroy: disconnected.resolve }
    await api.app.request(PATH, { headers }, { outgoing } as never)
    await disconnected.promise
    expect(api.streams.count).toBe(0)
  })
})

/** The stream of a browser that was let in by a link. */
async function browser({ app, makeLoginLink, log }: TestApi): Promise<SseReader> {
  const before = log.followers
  const cookie = (await app.request((await makeLoginLink()).url)).headers.get('set-cookie')!.split(';')[0]!
  const reader = new SseReader(await app.request(PATH, { headers: { cookie } }))
  await vi.waitUntil(() => log.followers === before + 1)
  return reader
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
}
