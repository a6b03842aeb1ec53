// The app-server dies, or is as good as dead.
import { describe, expect, it } from 'vitest'
import { TransportClosedError } from '../../src/codex/index.ts'
import { fake } from '../../src/testing/index.ts'
import { fakeHost } from './fake-host.ts'
import { eventually, identityOf, rejection, within } from './processes.ts'
import { iterated } from './watched-host.ts'

const STREAMING = [fake.reply(), ...fake.turnStarted(), ...fake.agentMessage('so far')]

describe.concurrent('codex exits in the middle of a turn', () => {
  it('with words on stderr: the turn is lost, everyone learns the same reason', async () => {
    const words = 'thread main panicked\nnote: RUST_BACKTRACE=1\n'
    await using host = await fakeHost({
      steps: [
        fake.on('turn/start', STREAMING),
        fake.on('model/list', fake.stderr(words), fake.delay(20), fake.exit(101)),
        fake.on('config/read', fake.noReply()),
      ],
    })
    const codex = await host.open()
    const turn = await (await codex.startThread()).startTurn('go')
    const notifications = codex.notifications()
    const iteration = iterated(turn)
    const pending = [
      rejection(codex.request('config/read', { includeLayers: false })),
      rejection(codex.request('model/list', {})),
    ]
    const outcome = await within(5_000, turn.outcome)
    expect(outcome).toMatchObject({
      status: 'lost',
      text: 'so far',
      error: { code: 'codex-crashed', message: 'codex exited with code 101', resumable: true },
    })
    const reason = await codex.closed
    expect(reason).toBeInstanceOf(TransportClosedError)
    expect(reason.stderrTail).toEqual(['thread main panicked', 'note: RUST_BACKTRACE=1'])
    expect(outcome).toMatchObject({ error: { stderrTail: reason.stderrTail } })
    expect(await Promise.all(pending)).toEqual([reason, reason])
    expect((await Promise.all(pending))[0]).toBe(reason)
    const { events, error } = await iteration
    expect(events.at(-1)!.method).toBe('item/completed')
    expect(error).toBe(reason)
    expect(await rejection(drained(notifications))).toBe(reason)
    expect(await rejection(codex.request('model/list', {}))).toBe(reason)
    await codex.close()
    host.expectNothingLeft()
  })

  it('with hundreds of requests waiting, on the wire and for it: all learn the same reason', async () => {
    await using host = await fakeHost({
      steps: [fake.on('model/list', fake.delay(50), fake.crash()), fake.on('config/read', fake.noReply())],
    })
    const codex = await host.open()
    const crashing = rejection(codex.request('model/list', {}))
    const waiting = Array.from({ length: 300 }, () =>
      rejection(codex.request('config/read', { includeLayers: false })),
    )
    const reasons = new Set(await Promise.all([crashing, ...waiting]))
    expect([...reasons]).toEqual([await codex.closed])
  })

  it('by a signal: the reason names it', async () => {
    await using host = await fakeHost({ steps: [fake.on('turn/start', STREAMING, fake.crash())] })
    const codex = await host.open()
    const turn = await (await codex.startThread()).startTurn('go')
    expect(await within(5_000, turn.outcome)).toMatchObject({
      status: 'lost',
      text: 'so far',
      error: { message: 'codex was ended by SIGKILL' },
    })
  })

  it('with code 0: that is no completion either', async () => {
    await using host = await fakeHost({ steps: [fake.on('turn/start', STREAMING, fake.exit(0))] })
    const codex = await host.open()
    const turn = await (await codex.startThread()).startTurn('go')
    expect(await within(5_000, turn.outcome)).toMatchObject({
      status: 'lost',
      error: { message: 'codex exited with code 0' },
    })
  })

  it('right after the reply to turn/start: there is a turn, and it is lost', async () => {
    await using host = await fakeHost({ steps: [fake.on('turn/start', fake.reply(), fake.crash())] })
    const codex = await host.open()
    const thread = await codex.startThread()
    const turn = await within(5_000, thread.startTurn('go'))
    expect(await within(5_000, turn.outcome)).toMatchObject({ status: 'lost', text: null })
    expect((await iterated(turn)).error).toBeInstanceOf(TransportClosedError)
    expect(await rejection(thread.startTurn('again'))).toBeInstanceOf(TransportClosedError)
  })

  it('with half a line as its last: what came before is kept, the rest is reported', async () => {
    await using host = await fakeHost({
      steps: [fake.on('turn/start', STREAMING, fake.raw('{"method":"item/comp'), fake.crash())],
    })
    const codex = await host.open()
    const turn = await (await codex.startThread()).startTurn('go')
    expect(await within(5_000, turn.outcome)).toMatchObject({ status: 'lost', text: 'so far' })
    expect(host.incidents).toEqual([{ type: 'non-json-line', line: '{"method":"item/comp', length: 20 }])
  })

  it('after the turn has completed: the outcome stands', async () => {
    await using host = await fakeHost({ steps: [fake.on('turn/start', fake.asUsual(), fake.crash())] })
    const codex = await host.open()
    const turn = await (await codex.startThread()).startTurn('go')
    expect(await within(5_000, turn.outcome)).toMatchObject({ status: 'completed', text: 'ok' })
    expect((await iterated(turn)).error).toBeNull()
    await codex.closed
  })

  it('while an interrupt waits for its answer: both settle', async () => {
    await using host = await fakeHost({
      steps: [fake.on('turn/start', STREAMING), fake.on('turn/interrupt', fake.crash())],
    })
    const codex = await host.open()
    const turn = await (await codex.startThread()).startTurn('go')
    await within(3_000, turn.interrupt())
    expect(await turn.outcome).toMatchObject({ status: 'lost' })
  })
})

describe.concurrent('codex dies before it answers', () => {
  it('turn/start, though events came: the call rejects and the thread is not busy for ever', async () => {
    await using host = await fakeHost({ steps: [fake.on('turn/start', fake.turnStarted(), fake.crash())] })
    const codex = await host.open()
    const thread = await codex.startThread()
    const error = await rejection(thread.startTurn('go'))
    expect(error).toBeInstanceOf(TransportClosedError)
    expect(error).toMatchObject({ code: 'transport-closed', message: 'codex was ended by SIGKILL' })
    expect(await rejection(thread.startTurn('again'))).toBe(error)
  })

  it('initialize: the reason has what it said on stderr', async () => {
    await using host = await fakeHost({
      steps: [fake.on('initialize', fake.stderr('no such model provider\n'), fake.delay(20), fake.exit(1))],
    })
    const error = await rejection(host.open())
    expect(error).toBeInstanceOf(TransportClosedError)
    expect(error).toMatchObject({
      message: 'codex exited with code 1',
      stderrTail: ['no such model provider'],
    })
    host.expectNothingLeft()
  })

  it('anything at all: likewise', async () => {
    await using host = await fakeHost({
      onStart: [fake.stderr('error: unknown flag\n'), fake.delay(20), fake.exit(2)],
    })
    const error = await rejection(host.open())
    expect(error).toMatchObject({
      code: 'transport-closed',
      message: 'codex exited with code 2',
      stderrTail: ['error: unknown flag'],
    })
    host.expectNothingLeft()
  })

  it('and the next start on the same host goes well', async () => {
    await using host = await fakeHost([{ onStart: [fake.crash()] }, {}])
    expect(await rejection(host.open())).toBeInstanceOf(TransportClosedError)
    const codex = await within(5_000, host.open())
    const turn = await (await codex.startThread()).startTurn('go')
    expect(await within(5_000, turn.outcome)).toMatchObject({ status: 'completed' })
  })
})

describe.concurrent('codex lives but', () => {
  it('has closed its stdout: it will never say anything again, so it is lost', async () => {
    await using host = await fakeHost({ steps: [fake.on('turn/start', STREAMING, fake.closeStdout())] })
    const codex = await host.open()
    const turn = await (await codex.startThread()).startTurn('go')
    const outcome = await within(5_000, turn.outcome)
    expect(outcome).toMatchObject({ status: 'lost', text: 'so far', error: { code: 'codex-crashed' } })
    await within(5_000, codex.close())
    host.expectNothingLeft()
  })
})

describe.concurrent('what codex leaves behind', () => {
  it.each([
    ['that holds its stdout', true],
    ['in a session of its own', false],
  ])('a child %s goes when codex exits, and holds nothing up', async (_what, holdStdout) => {
    await using host = await fakeHost({
      steps: [fake.on('turn/start', STREAMING, fake.spawnChild({ holdStdout }), fake.exit(3))],
    })
    const codex = await host.open()
    const turn = await (await codex.startThread()).startTurn('go')
    expect(await within(3_000, turn.outcome)).toMatchObject({
      status: 'lost',
      text: 'so far',
      error: { message: 'codex exited with code 3' },
    })
    const childPid = await host.childPid()
    await eventually(() => identityOf(childPid) === null, 'the child is gone', 3_000)
    await within(3_000, codex.close())
    host.expectNothingLeft()
  })

  it.each([true, false])(
    'a child (holding stdout: %s) goes when the client is closed',
    async (holdStdout) => {
      await using host = await fakeHost({
        steps: [fake.on('turn/start', STREAMING, fake.spawnChild({ holdStdout }))],
      })
      const codex = await host.open()
      const turn = await (await codex.startThread()).startTurn('go')
      const childPid = await host.childPid()
      expect(identityOf(childPid)).not.toBeNull()
      await within(3_000, codex.close())
      expect(await turn.outcome).toMatchObject({ status: 'interrupted', by: 'shutdown' })
      expect(identityOf(childPid)).toBeNull()
      host.expectNothingLeft()
    },
  )
})

async function drained(notifications: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of notifications);
}
