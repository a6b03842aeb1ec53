// Coming to a thread that is not idle, and ways two callers get in each other's way on one.
import { describe, expect, it } from 'vitest'
import { RequestTimeoutError } from '../../src/codex/index.ts'
import { fake } from '../../src/testing/index.ts'
import { fakeHost } from './fake-host.ts'
import { rejection, within } from './processes.ts'

const running = { id: 'running', status: 'inProgress', items: [], error: null }
const completed = (threadId: string) =>
  fake.notify('turn/completed', {
    threadId,
    turn: {
      id: 'running',
      status: 'completed',
      error: null,
      items: [{ type: 'agentMessage', id: 'm', text: 'done' }],
    },
  })
const resumed = fake.reply({
  thread: { id: '$threadId', status: { type: 'active', activeFlags: [] }, turns: [] },
})

describe.concurrent('a thread that is resumed while a turn runs', () => {
  it('has that turn, is busy with it, and hears its end', async () => {
    await using host = await fakeHost({
      steps: [
        fake.on('thread/resume', resumed),
        fake.on('thread/turns/list', fake.reply({ data: [running], nextCursor: null })),
        fake.on('model/list', fake.asUsual(), completed('t-1')),
      ],
    })
    const codex = await host.open()
    const thread = await codex.resumeThread('t-1')
    expect(thread.activeTurn).toMatchObject({ id: 'running', origin: 'codex' })
    expect(await rejection(thread.startTurn('mine'))).toMatchObject({ code: 'thread-busy' })
    const turn = thread.activeTurn!
    await codex.request('model/list', {})
    expect(await within(3_000, turn.outcome)).toMatchObject({ status: 'completed', text: 'done' })
  })

  it('hears an end that comes before the list that still has the turn as running', async () => {
    await using host = await fakeHost({
      steps: [
        fake.on('thread/resume', resumed),
        fake.on('thread/turns/list', completed('t-1'), fake.reply({ data: [running], nextCursor: null })),
      ],
    })
    const thread = await (await host.open()).resumeThread('t-1')
    expect(thread.activeTurn).toBeNull()
    expect(await within(3_000, thread.joinedTurn!.outcome)).toMatchObject({
      status: 'completed',
      text: 'done',
    })
    expect(await within(3_000, (await thread.startTurn('mine')).outcome)).toMatchObject({
      status: 'completed',
    })
  })

  it('gets what codex says in one piece with the reply', async () => {
    const started = { method: 'turn/started', params: { threadId: 't-1', turn: running } }
    const reply = { id: 2, result: { thread: { id: 't-1', status: { type: 'idle' }, turns: [] } } }
    await using host = await fakeHost({
      steps: [
        fake.on(
          'thread/resume',
          fake.raw([reply, started].map((line) => `${JSON.stringify(line)}\n`).join('')),
        ),
      ],
    })
    const thread = await (await host.open()).resumeThread('t-1')
    expect(thread.activeTurn?.id).toBe('running')
  })
})

describe.concurrent('two callers on one thread', () => {
  it('the queue waits for a turn that somebody starts at the same moment', async () => {
    await using host = await fakeHost()
    const thread = await (await host.open()).startThread()
    const queued = thread.queue.add('queued')
    const direct = await thread.startTurn('direct')
    expect(await within(3_000, direct.outcome)).toMatchObject({ status: 'completed' })
    expect(await within(3_000, (await queued.turn).outcome)).toMatchObject({ status: 'completed' })
  })

  it('compaction keeps the thread busy, and is not taken for another turn', async () => {
    await using host = await fakeHost({
      steps: [
        fake.on(
          'thread/compact/start',
          fake.reply({}),
          fake.delay(50),
          fake.notify('turn/started', {
            threadId: '$threadId',
            turn: { id: 'running', status: 'inProgress', items: [] },
          }),
          completed('$threadId'),
        ),
      ],
    })
    const thread = await (await host.open()).startThread()
    const compacting = thread.compact()
    expect(await rejection(thread.startTurn('mine'))).toMatchObject({ code: 'thread-busy' })
    const turn = await within(3_000, compacting)
    expect(turn.id).toBe('running')
    expect(await turn.outcome).toMatchObject({ status: 'completed' })
  })

  it('a compaction that codex never begins ends with the connection', async () => {
    await using host = await fakeHost({ steps: [fake.on('thread/compact/start', fake.reply({}))] })
    const codex = await host.open()
    const compacting = rejection((await codex.startThread()).compact())
    await codex.request('model/list', {})
    await codex.close()
    expect(await compacting).toBe(await codex.closed)
  })

  it('a listener that throws is reported and harms nobody', async () => {
    await using host = await fakeHost()
    const thread = await (await host.open()).startThread()
    thread.onTurn(() => {
      throw new Error('listener bug')
    })
    expect(await (await thread.startTurn('go')).outcome).toMatchObject({ status: 'completed' })
    expect(host.incidents).toMatchObject([{ type: 'listener-failed' }])
  })
})

describe.concurrent('a reply that never comes', () => {
  it('to a steer: the steer is not sent a second time', async () => {
    await using host = await fakeHost({
      steps: [
        fake.on('turn/start', fake.reply(), ...fake.turnStarted()),
        fake.on('turn/steer', fake.noReply()),
      ],
    })
    const codex = await host.open()
    const thread = await codex.startThread()
    await thread.startTurn('go')
    const options = { whenStale: 'error', clientMessageId: 'm-1' } as const
    const first = rejection(thread.steer('left', options), 40_000)
    const second = rejection(thread.steer('left', options), 40_000)
    expect(await first).toBeInstanceOf(RequestTimeoutError)
    expect(await second).toBe(await first)
    expect(await rejection(thread.steer('left', options))).toBe(await first)
    expect(host.program.received().filter(({ method }) => method === 'turn/steer')).toHaveLength(1)
  }, 60_000)

  it('to turn/start: the turn that began is held to its limits all the same', async () => {
    await using host = await fakeHost({
      steps: [
        fake.on('turn/start', ...fake.turnStarted(), fake.noReply()),
        fake.on('turn/interrupt', fake.reply({}), ...fake.turnCompleted({ status: 'interrupted' })),
      ],
    })
    const thread = await (await host.open()).startThread()
    const starting = rejection(thread.startTurn('go', { timeoutMs: 100 }), 15_000)
    expect(await starting).toBeInstanceOf(RequestTimeoutError)
    const turn = thread.activeTurn!
    expect(await within(3_000, turn.outcome)).toMatchObject({ status: 'timed-out' })
  }, 30_000)
})
