// One turn and what can go wrong between it and its thread: interrupts, deadlines, strangers, careless consumers.
import { describe, expect, it } from 'vitest'
import { RpcError, ThreadBusyError } from '../../src/codex/index.ts'
import { fake } from '../../src/testing/index.ts'
import { type FakeHost, fakeHost } from './fake-host.ts'
import { rejection, within } from './processes.ts'
import { heard, iterated } from './watched-host.ts'

const RUNNING = [fake.reply(), ...fake.turnStarted(), ...fake.agentMessage('so far')]

/** A turn that has said `so far` and will not end by itself. */
async function runningTurn(host: FakeHost, options: { timeoutMs?: number; signal?: AbortSignal } = {}) {
  const codex = await host.open()
  const thread = await codex.startThread()
  const said = heard(codex, 'item/completed')
  const turn = await thread.startTurn('go', options)
  await said
  return { codex, thread, turn }
}

describe.concurrent('an interrupt', () => {
  it('that is never answered settles the turn after about five seconds', async () => {
    await using host = await fakeHost({
      steps: [fake.on('turn/start', RUNNING), fake.on('turn/interrupt', fake.noReply())],
    })
    const { codex, thread, turn } = await runningTurn(host)
    const startedAt = performance.now()
    await within(7_000, turn.interrupt())
    expect(performance.now() - startedAt).toBeGreaterThan(4_500)
    expect(await turn.outcome).toMatchObject({ status: 'interrupted', by: 'user', text: 'so far' })
    expect((await iterated(turn)).error).toBeNull()
    expect(thread.activeTurn).toBeNull()
    expect(await codex.request('model/list', {})).toBeDefined()
  })

  it('that is answered, but without the end of the turn, settles likewise', async () => {
    await using host = await fakeHost({
      steps: [fake.on('turn/start', RUNNING), fake.on('turn/interrupt', fake.reply())],
    })
    const { turn } = await runningTurn(host)
    await within(7_000, turn.interrupt())
    expect(await turn.outcome).toMatchObject({ status: 'interrupted', by: 'user' })
  })

  it('that is refused settles likewise', async () => {
    await using host = await fakeHost({
      steps: [
        fake.on('turn/start', RUNNING),
        fake.on('turn/interrupt', fake.error(-32600, 'no active turn')),
      ],
    })
    const { turn } = await runningTurn(host)
    await within(7_000, turn.interrupt())
    expect(await turn.outcome).toMatchObject({ status: 'interrupted', by: 'user' })
  })

  it('that is refused because the turn is just ending leaves the turn its own end', async () => {
    await using host = await fakeHost({
      steps: [
        fake.on('turn/start', RUNNING, fake.waitForAnswer('never'), fake.noReply()),
        fake.on('turn/interrupt', fake.error(-32600, 'no active turn'), fake.turnCompleted()),
      ],
    })
    const { turn } = await runningTurn(host)
    await within(2_000, turn.interrupt())
    expect(await turn.outcome).toMatchObject({ status: 'completed', text: 'so far' })
  })

  it('given twice, at once or later, is asked once', async () => {
    await using host = await fakeHost({ steps: [fake.on('turn/start', RUNNING)] })
    const { turn } = await runningTurn(host)
    await within(3_000, Promise.all([turn.interrupt(), turn.interrupt()]))
    await within(500, turn.interrupt())
    expect(await turn.outcome).toMatchObject({ status: 'interrupted', by: 'user' })
    expect(host.program.received().filter(({ method }) => method === 'turn/interrupt')).toHaveLength(1)
  })

  it('of a turn that has completed does nothing', async () => {
    await using host = await fakeHost()
    const codex = await host.open()
    const turn = await (await codex.startThread()).startTurn('go')
    await turn.outcome
    await within(500, turn.interrupt())
    expect(await turn.outcome).toMatchObject({ status: 'completed' })
    expect(host.program.received().map(({ method }) => method)).not.toContain('turn/interrupt')
  })

  it('by codex itself is told apart from ours', async () => {
    await using host = await fakeHost({
      steps: [fake.on('turn/start', RUNNING, fake.turnCompleted({ status: 'interrupted' }))],
    })
    const { turn } = await runningTurn(host)
    expect(await within(2_000, turn.outcome)).toMatchObject({ status: 'interrupted', by: 'codex' })
  })
})

describe.concurrent('a deadline', () => {
  it('that passes ends the turn as timed out, with the text so far', async () => {
    await using host = await fakeHost({ steps: [fake.on('turn/start', RUNNING)] })
    const { turn } = await runningTurn(host, { timeoutMs: 300 })
    expect(await within(3_000, turn.outcome)).toMatchObject({
      status: 'timed-out',
      timeoutMs: 300,
      text: 'so far',
    })
    expect((await iterated(turn)).error).toBeNull()
  })

  it('that passes while codex is deaf ends the turn all the same', async () => {
    await using host = await fakeHost({
      steps: [fake.on('turn/start', RUNNING), fake.on('turn/interrupt', fake.noReply())],
    })
    const { turn } = await runningTurn(host, { timeoutMs: 100 })
    expect(await within(7_000, turn.outcome)).toMatchObject({ status: 'timed-out', timeoutMs: 100 })
  })

  it.each([Number.POSITIVE_INFINITY, 2 ** 31, 10 ** 12])(
    'of %d ms is not over at once',
    async (timeoutMs) => {
      await using host = await fakeHost({
        steps: [fake.on('turn/start', fake.reply(), fake.delay(100), fake.turnCompleted())],
      })
      const codex = await host.open()
      const turn = await (await codex.startThread()).startTurn('go', { timeoutMs })
      expect(await within(3_000, turn.outcome)).toMatchObject({ status: 'completed' })
      await codex.request('model/list', {}, { timeoutMs })
    },
  )
})

describe.concurrent('a signal', () => {
  it('that is aborted before the start starts nothing', async () => {
    await using host = await fakeHost()
    const codex = await host.open()
    const thread = await codex.startThread()
    const signal = AbortSignal.abort(new Error('too late'))
    expect(await rejection(thread.startTurn('go', { signal }))).toBe(signal.reason)
    expect(host.program.received().map(({ method }) => method)).not.toContain('turn/start')
    expect(await (await thread.startTurn('go')).outcome).toMatchObject({ status: 'completed' })
  })

  it('that is aborted while turn/start waits for its answer interrupts the turn once it is known', async () => {
    const controller = new AbortController()
    await using host = await fakeHost({
      steps: [
        fake.on(
          'turn/start',
          fake.request('currentTime/read', {}, 'go on'),
          fake.waitForAnswer('go on'),
          RUNNING,
        ),
      ],
    })
    const codex = await host.open({
      handlers: {
        'currentTime/read': () => {
          controller.abort()
          return { currentTimeAt: 0 }
        },
      },
    })
    const turn = await (await codex.startThread()).startTurn('go', { signal: controller.signal })
    expect(await within(3_000, turn.outcome)).toMatchObject({ status: 'interrupted', by: 'user' })
  })

  it('that is aborted during the turn interrupts it', async () => {
    await using host = await fakeHost({ steps: [fake.on('turn/start', RUNNING)] })
    const controller = new AbortController()
    const { turn } = await runningTurn(host, { signal: controller.signal })
    controller.abort()
    expect(await within(3_000, turn.outcome)).toMatchObject({
      status: 'interrupted',
      by: 'user',
      text: 'so far',
    })
  })

  it('that is aborted after the turn has no effect on the next', async () => {
    await using host = await fakeHost()
    const codex = await host.open()
    const thread = await codex.startThread()
    const controller = new AbortController()
    await (await thread.startTurn('go', { signal: controller.signal })).outcome
    controller.abort()
    expect(await (await thread.startTurn('go')).outcome).toMatchObject({ status: 'completed' })
    expect(host.program.received().map(({ method }) => method)).not.toContain('turn/interrupt')
  })
})

describe.concurrent('a steer', () => {
  it('that codex refuses rejects with its error, and the turn goes on', async () => {
    await using host = await fakeHost({
      steps: [fake.on('turn/start', RUNNING), fake.on('turn/steer', fake.error(-32600, 'no active turn'))],
    })
    const { turn } = await runningTurn(host)
    const error = await rejection(turn.steer('more'))
    expect(error).toBeInstanceOf(RpcError)
    expect(error).toMatchObject({ method: 'turn/steer', rpcCode: -32600 })
    expect(turn.hasEnded).toBe(false)
  })
})

describe.concurrent('what belongs to others', () => {
  it('is not ours: the end of another turn, the events of another thread', async () => {
    const [reply, ...rest] = fake.completedTurn('mine')
    const theirs = { type: 'agentMessage', id: 'x', text: 'theirs' }
    const strangers = [
      fake.notify('turn/completed', {
        threadId: '$threadId',
        turn: { id: 'other', status: 'failed', items: [] },
      }),
      fake.notify('turn/completed', { threadId: '$threadId', turn: { status: 'failed', items: [] } }),
      fake.notify('turn/completed', {
        threadId: 'other',
        turn: { id: '$turnId', status: 'failed', items: [] },
      }),
      fake.notify('item/completed', { threadId: 'other', turnId: '$turnId', item: theirs }),
      fake.notify('item/completed', { threadId: '$threadId', turnId: 'other', item: theirs }),
      fake.notify('item/agentMessage/delta', { threadId: 'sub-agent', turnId: 'other', delta: 'theirs' }),
    ]
    await using host = await fakeHost({
      steps: [fake.on('turn/start', ...strangers, reply!, ...strangers, ...rest)],
    })
    const codex = await host.open()
    const turn = await (await codex.startThread()).startTurn('go')
    expect(await within(5_000, turn.outcome)).toMatchObject({ status: 'completed', text: 'mine' })
    const delivered = (await iterated(turn)).events.map(({ raw }) => raw)
    expect(delivered.filter((raw) => raw.includes('theirs') || raw.includes('"other"'))).toEqual([])
  })

  it('two threads on one client each get what is theirs', async () => {
    await using host = await fakeHost({ steps: [fake.on('turn/start', fake.completedTurn('said $text'))] })
    const codex = await host.open()
    const threads = await Promise.all(Array.from({ length: 20 }, () => codex.startThread()))
    const turns = await Promise.all(threads.map((thread, index) => thread.startTurn(`number ${index}`)))
    const outcomes = await within(10_000, Promise.all(turns.map((turn) => turn.outcome)))
    expect(outcomes.map(({ text }) => text)).toEqual(threads.map((_, index) => `said number ${index}`))
    for (const [index, turn] of turns.entries()) {
      const { events } = await iterated(turn)
      expect(events.every(({ raw }) => raw.includes(threads[index]!.id))).toBe(true)
    }
  })
})

describe.concurrent('a consumer', () => {
  it('that leaves early does not keep the turn from its outcome', async () => {
    await using host = await fakeHost({
      steps: [fake.on('turn/start', fake.completedTurn('all of it', { deltas: ['all', ' of', ' it'] }))],
    })
    const codex = await host.open()
    const turn = await (await codex.startThread()).startTurn('go')
    for await (const event of turn) if (event.method === 'item/agentMessage/delta') break
    expect(await within(3_000, turn.outcome)).toMatchObject({ status: 'completed', text: 'all of it' })
  })

  it('that leaves early by throwing keeps its own error', async () => {
    await using host = await fakeHost({ steps: [fake.on('turn/start', RUNNING, fake.crash())] })
    const codex = await host.open()
    const turn = await (await codex.startThread()).startTurn('go')
    const consuming = (async () => {
      for await (const _ of turn) throw new Error('bad consumer')
    })()
    expect(await rejection(consuming)).toMatchObject({ message: 'bad consumer' })
    expect(await within(3_000, turn.outcome)).toMatchObject({ status: 'lost' })
  })

  it('that comes a second time is told so', async () => {
    await using host = await fakeHost()
    const codex = await host.open()
    const turn = await (await codex.startThread()).startTurn('go')
    await iterated(turn)
    expect((await iterated(turn)).error).toMatchObject({ message: 'a turn can be iterated once' })
    expect(await turn.outcome).toMatchObject({ status: 'completed' })
  })

  it('that never comes is not needed, also when codex dies', async () => {
    await using host = await fakeHost({
      steps: [fake.once('turn/start', fake.asUsual()), fake.on('turn/start', RUNNING, fake.crash())],
    })
    const codex = await host.open()
    const thread = await codex.startThread()
    expect(await within(3_000, (await thread.startTurn('go')).outcome)).toMatchObject({ status: 'completed' })
    expect(await within(3_000, (await thread.startTurn('go')).outcome)).toMatchObject({ status: 'lost' })
  })
})

describe.concurrent('a busy thread', () => {
  it('refuses another turn, also before turn/start is answered, until it is free', async () => {
    await using host = await fakeHost({ steps: [fake.once('turn/start', fake.delay(100), RUNNING)] })
    const codex = await host.open()
    const thread = await codex.startThread()
    const starting = thread.startTurn('first')
    const early = await rejection(thread.startTurn('second'))
    expect(early).toBeInstanceOf(ThreadBusyError)
    expect(early).toMatchObject({ code: 'thread-busy' })
    const turn = await starting
    expect(await rejection(thread.startTurn('third'))).toBeInstanceOf(ThreadBusyError)
    await turn.interrupt()
    expect(await (await thread.startTurn('fourth')).outcome).toMatchObject({ status: 'completed' })
    expect(host.program.received().filter(({ method }) => method === 'turn/start')).toHaveLength(2)
  })

  it('is free again when turn/start was refused', async () => {
    await using host = await fakeHost({ steps: [fake.once('turn/start', fake.error(-32600, 'not now'))] })
    const codex = await host.open()
    const thread = await codex.startThread()
    expect(await rejection(thread.startTurn('go'))).toBeInstanceOf(RpcError)
    expect(await (await thread.startTurn('go')).outcome).toMatchObject({ status: 'completed' })
  })
})

describe.concurrent('a thread that codex closes', () => {
  it('in the middle of a turn does not take the outcome with it', async () => {
    await using host = await fakeHost({
      steps: [fake.on('turn/start', RUNNING, fake.notify('thread/closed', { threadId: '$threadId' }))],
    })
    const codex = await host.open()
    const closed = heard(codex, 'thread/closed')
    const turn = await (await codex.startThread()).startTurn('go')
    await closed
    await codex.close()
    expect(await within(1_000, turn.outcome)).toMatchObject({ status: 'interrupted' })
  })

  it('and is resumed after that works as before', async () => {
    await using host = await fakeHost({
      steps: [
        fake.once('turn/start', fake.asUsual(), fake.notify('thread/closed', { threadId: '$threadId' })),
      ],
    })
    const codex = await host.open()
    const closed = heard(codex, 'thread/closed')
    const thread = await codex.startThread()
    await (await thread.startTurn('go')).outcome
    await closed
    const resumed = await codex.resumeThread(thread.id)
    expect(await within(2_000, (await resumed.startTurn('go')).outcome)).toMatchObject({
      status: 'completed',
    })
  })
})
