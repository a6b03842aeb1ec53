import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RequestTimeoutError, RpcError, TransportClosedError } from '../errors/errors.ts'
import type { Channel, ChannelReader } from './channel.ts'
import { Connection, type ConnectionHandlers } from './connection.ts'
import { Refusal, type WireIncident, type WireNotification } from './message.ts'

const OPTIONS = { maxInFlight: 3, overload: { maxRetries: 2, baseMs: 10, maxMs: 100 }, random: () => 0.5 }
const PATIENT = { timeoutMs: 60_000 }

/** A channel whose far end is the test. */
class PaperChannel implements Channel {
  readonly sent: { id?: number; method?: string; params?: unknown; result?: unknown; error?: unknown }[] = []
  reader!: ChannelReader
  isClosed = false

  read(reader: ChannelReader): void {
    this.reader = reader
  }

  send(line: string): void {
    if (!this.isClosed) this.sent.push(JSON.parse(line))
  }

  close(reason: TransportClosedError): void {
    if (this.isClosed) return
    this.isClosed = true
    this.reader.closed(reason)
  }

  say(message: object): void {
    if (!this.isClosed) this.reader.line(JSON.stringify(message))
  }
}

function connect(handlers: Partial<ConnectionHandlers> = {}) {
  const channel = new PaperChannel()
  const notifications: WireNotification[] = []
  const incidents: WireIncident[] = []
  const connection = new Connection(
    channel,
    {
      notification: (notification) => void notifications.push(notification),
      incident: (incident) => void incidents.push(incident),
      request: () => Promise.resolve({}),
      ...handlers,
    },
    OPTIONS,
  )
  return { channel, connection, notifications, incidents }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('requests', () => {
  it('numbers requests from 1 and matches replies by id, in any order', async () => {
    const { channel, connection } = connect()
    const first = connection.request('a', { x: 1 }, PATIENT)
    const second = connection.request('b', {}, PATIENT)
    expect(channel.sent).toEqual([
      { id: 1, method: 'a', params: { x: 1 } },
      { id: 2, method: 'b', params: {} },
    ])
    channel.say({ id: 2, result: 'two' })
    channel.say({ id: 1, result: null })
    expect(await second).toBe('two')
    expect(await first).toBe(null)
  })

  it('rejects with a typed error when codex answers with one', async () => {
    const { channel, connection } = connect()
    const asked = connection.request('thread/resume', {}, PATIENT)
    channel.say({ id: 1, error: { code: -32600, message: 'no rollout found', data: { a: 1 } } })
    const error = await asked.catch((reason) => reason)
    expect(error).toBeInstanceOf(RpcError)
    expect(error).toMatchObject({
      code: 'rpc-error',
      rpcCode: -32600,
      method: 'thread/resume',
      data: { a: 1 },
    })
  })

  it('gives up at the deadline and counts the reply that comes later', async () => {
    const { channel, connection, incidents } = connect()
    const asked = connection.request('slow', {}, { timeoutMs: 100 }).catch((reason) => reason)
    await vi.advanceTimersByTimeAsync(100)
    expect(await asked).toBeInstanceOf(RequestTimeoutError)
    channel.say({ id: 1, result: {} })
    channel.say({ id: 77, result: {} })
    channel.say({ id: 'x', result: {} })
    expect(incidents).toEqual([
      { type: 'late-reply', id: 1 },
      { type: 'unknown-reply', id: 77 },
      { type: 'unknown-reply', id: 'x' },
    ])
  })

  it('rejects with the reason of an aborted signal, before and after sending', async () => {
    const { channel, connection } = connect()
    const controller = new AbortController()
    const asked = connection
      .request('a', {}, { ...PATIENT, signal: controller.signal })
      .catch((reason) => reason)
    const why = new Error('enough')
    controller.abort(why)
    expect(await asked).toBe(why)
    await expect(connection.request('b', {}, { ...PATIENT, signal: controller.signal })).rejects.toBe(why)
    expect(channel.sent).toHaveLength(1)
    expect(connection.load).toEqual({ inFlight: 0, queued: 0 })
  })

  it('keeps the rest waiting in order when the limit is in flight, and leaves out who gave up', async () => {
    const { channel, connection } = connect()
    const controller = new AbortController()
    const asked = ['a', 'b', 'c', 'd', 'e', 'f'].map((method) =>
      connection
        .request(method, {}, method === 'e' ? { ...PATIENT, signal: controller.signal } : PATIENT)
        .catch(() => 'gave up'),
    )
    expect(channel.sent.map((message) => message.method)).toEqual(['a', 'b', 'c'])
    expect(connection.load).toEqual({ inFlight: 3, queued: 3 })
    controller.abort()
    channel.say({ id: 2, result: 'B' })
    channel.say({ id: 1, result: 'A' })
    expect(channel.sent.map((message) => message.method)).toEqual(['a', 'b', 'c', 'd', 'f'])
    for (const id of [3, 4, 5]) channel.say({ id, result: 'later' })
    expect(await Promise.all(asked)).toEqual(['A', 'B', 'later', 'later', 'gave up', 'later'])
  })

  it('frees the slot of a request that was never answered', async () => {
    const { channel, connection } = connect()
    const lost = ['a', 'b', 'c'].map((method) =>
      connection.request(method, {}, { timeoutMs: 50 }).catch(() => null),
    )
    const waiting = connection.request('d', {}, PATIENT)
    await vi.advanceTimersByTimeAsync(50)
    await Promise.all(lost)
    channel.say({ id: 4, result: 'served' })
    expect(await waiting).toBe('served')
  })

  it('sends an overloaded request again, later and later, under new ids, then passes the error on', async () => {
    const { channel, connection } = connect()
    const overloaded = { code: -32001, message: 'Server overloaded; retry later.' }
    const asked = connection.request('a', {}, PATIENT).catch((reason) => reason)
    channel.say({ id: 1, error: overloaded })
    await vi.advanceTimersByTimeAsync(6)
    expect(channel.sent).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    channel.say({ id: 2, error: overloaded })
    await vi.advanceTimersByTimeAsync(15)
    channel.say({ id: 3, error: overloaded })
    expect(await asked).toMatchObject({ rpcCode: -32001, retryable: true })
    expect(channel.sent.map((message) => message.id)).toEqual([1, 2, 3])
  })

  it('stops retrying an overloaded request when its deadline passes', async () => {
    const { channel, connection } = connect()
    const asked = connection.request('a', {}, { timeoutMs: 5 }).catch((reason) => reason)
    channel.say({ id: 1, error: { code: -32001, message: 'busy' } })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await asked).toBeInstanceOf(RequestTimeoutError)
    expect(channel.sent).toHaveLength(1)
  })

  it('rejects what cannot be written as JSON without losing a slot', async () => {
    const { connection } = connect()
    await expect(connection.request('a', { n: 1n }, PATIENT)).rejects.toThrow(TypeError)
    expect(connection.load).toEqual({ inFlight: 0, queued: 0 })
  })
})

describe('requests of codex', () => {
  it('echoes ids with their type and answers while another handler still waits', async () => {
    const slow = Promise.withResolvers<unknown>()
    const { channel, notifications } = connect({
      request: ({ method }) => (method === 'slow' ? slow.promise : Promise.resolve({ decision: 'decline' })),
    })
    channel.say({ id: 0, method: 'slow', params: {} })
    channel.say({ id: 'seven', method: 'quick', params: {} })
    channel.say({ method: 'note', params: { n: 1 } })
    expect(notifications).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(0)
    expect(channel.sent).toEqual([{ id: 'seven', result: { decision: 'decline' } }])
    slow.resolve(undefined)
    await vi.advanceTimersByTimeAsync(0)
    expect(channel.sent[1]).toEqual({ id: 0, result: null })
  })

  it('answers with an error when the handler refuses or fails', async () => {
    const { channel, incidents } = connect({
      request: ({ method }) => {
        if (method === 'refused') throw new Refusal('not here', -32601)
        return Promise.reject(new Error('bug'))
      },
    })
    channel.say({ id: 1, method: 'refused' })
    channel.say({ id: 2, method: 'broken' })
    await vi.advanceTimersByTimeAsync(0)
    expect(channel.sent).toMatchObject([
      { id: 1, error: { code: -32601, message: 'not here' } },
      { id: 2, error: { code: -32603 } },
    ])
    expect(incidents).toMatchObject([{ type: 'handler-failed', method: 'broken' }])
  })
})

describe('what else arrives', () => {
  it('passes notifications on with the line they came in', () => {
    const { channel, notifications } = connect()
    channel.reader.line('{"method":"turn/started","params":{"x":1},"emittedAtMs":5}')
    expect(notifications[0]).toEqual({
      method: 'turn/started',
      params: { x: 1 },
      emittedAtMs: 5,
      raw: '{"method":"turn/started","params":{"x":1},"emittedAtMs":5}',
    })
  })

  it('survives and reports non-JSON, malformed and oversize lines and a consumer that throws', () => {
    const { channel, incidents } = connect({
      notification: () => {
        throw new Error('consumer bug')
      },
    })
    channel.reader.line('thread panicked at …')
    channel.reader.line('42')
    channel.reader.line('null')
    channel.reader.line('{"id":1}')
    channel.reader.line('{"method":"x"}')
    channel.reader.oversize(99)
    expect(incidents.map((incident) => incident.type)).toEqual([
      'non-json-line',
      'malformed-message',
      'malformed-message',
      'malformed-message',
      'handler-failed',
      'oversize-line',
    ])
  })

  it('makes outgoing text well-formed and leaves all other text alone', () => {
    const { channel, connection } = connect()
    const lines: string[] = []
    channel.send = (line) => void lines.push(line)
    connection.notify('a', { text: 'lone \ud800 end', 'key\udc00': ['\udfff', 1, null], date: new Date(0) })
    connection.notify('b', { text: 'pair 😀 and literal \\ud800' })
    expect(lines[0]).not.toMatch(/\\ud/i)
    expect(JSON.parse(lines[0]!).params).toEqual({
      text: 'lone \ufffd end',
      'key\ufffd': ['\ufffd', 1, null],
      date: '1970-01-01T00:00:00.000Z',
    })
    expect(JSON.parse(lines[1]!).params.text).toBe('pair 😀 and literal \\ud800')
  })
})

describe('the end', () => {
  it('tells everyone still waiting the same reason, once', async () => {
    const { channel, connection } = connect()
    const asked = ['a', 'b', 'c', 'd'].map((method) =>
      connection.request(method, {}, PATIENT).catch((error) => error),
    )
    const reason = new TransportClosedError('codex exited with code 1')
    connection.close(reason)
    connection.close(new TransportClosedError('again'))
    expect(await Promise.all(asked)).toEqual([reason, reason, reason, reason])
    expect(await connection.closed).toBe(reason)
    await expect(connection.request('e', {}, PATIENT)).rejects.toBe(reason)
    expect(channel.sent).toHaveLength(3)
    expect(connection.load).toEqual({ inFlight: 0, queued: 0 })
  })

  it('settles every request exactly once for any interleaving', async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('request' as const), timeoutMs: fc.integer({ min: 1, max: 50 }) }),
      fc.record({
        do: fc.constantFrom('reply', 'error', 'overloaded') as fc.Arbitrary<'reply'>,
        id: fc.nat(15),
      }),
      fc.record({
        do: fc.constantFrom('notify', 'ask', 'abort', 'wait', 'garbage') as fc.Arbitrary<'notify'>,
      }),
      fc.record({ do: fc.constant('close' as const) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { channel, connection } = connect()
        const controller = new AbortController()
        const settled: number[] = []
        const asked: Promise<unknown>[] = []
        for (const { do: action, ...detail } of steps as { do: string; id?: number; timeoutMs?: number }[]) {
          const id = detail.id ?? 0
          if (action === 'request') {
            const index = settled.push(0) - 1
            const count = () => void settled[index]!++
            const options = { timeoutMs: detail.timeoutMs!, signal: controller.signal }
            asked.push(connection.request('m', {}, options).then(count, count))
          } else if (action === 'reply') channel.say({ id, result: {} })
          else if (action === 'error') channel.say({ id, error: { code: -1, message: 'no' } })
          else if (action === 'overloaded') channel.say({ id, error: { code: -32001, message: 'busy' } })
          else if (action === 'notify') channel.say({ method: 'n', params: {} })
          else if (action === 'ask') channel.say({ id: `q${id}`, method: 'ask', params: {} })
          else if (action === 'abort') controller.abort()
          else if (action === 'garbage') channel.reader.line('{"id":')
          else if (action === 'wait') await vi.advanceTimersByTimeAsync(10)
          else connection.close(new TransportClosedError('over'))
        }
        await vi.advanceTimersByTimeAsync(60)
        await Promise.all(asked)
        expect(settled.every((times) => times === 1)).toBe(true)
        expect(connection.load).toEqual({ inFlight: 0, queued: 0 })
        expect(vi.getTimerCount()).toBe(0)
      }),
      { numRuns: 300 },
    )
  })
})
