// The client is closed at bad moments, or codex does not want to go.
import { describe, expect, it } from 'vitest'
import { TransportClosedError } from '../../src/codex/index.ts'
import { fake } from '../../src/testing/index.ts'
import { fakeHost } from './fake-host.ts'
import { eventually, identityOf, processesTagged, rejection, within } from './processes.ts'
import { heard, iterated } from './watched-host.ts'

const RUNNING = [fake.reply(), ...fake.turnStarted(), ...fake.agentMessage('so far')]

describe.concurrent('close', () => {
  it('ends a codex that ignores the end of its input and SIGTERM, with its child', async () => {
    await using host = await fakeHost({
      ignoreTerm: true,
      steps: [fake.on('turn/start', RUNNING, fake.spawnChild({ holdStdout: true }))],
    })
    const codex = await host.open()
    const turn = await (await codex.startThread()).startTurn('go')
    const childPid = await host.childPid()
    const identity = identityOf(codex.pid!)
    const startedAt = performance.now()
    await within(7_000, codex.close())
    const tookMs = performance.now() - startedAt
    expect(tookMs).toBeGreaterThan(3_000)
    expect(identity).not.toBeNull()
    expect([identityOf(codex.pid!), identityOf(childPid)]).toEqual([null, null])
    host.expectNothingLeft()
    const told = host.program.events().map(({ event }) => event)
    expect(told.filter((event) => event === 'stdinEnded' || event === 'signal')).toEqual([
      'stdinEnded',
      'signal',
    ])
    expect(await turn.outcome).toMatchObject({ status: 'interrupted', by: 'shutdown' })
  })

  it('settles the running turn and every waiting request at once, not when codex has gone', async () => {
    await using host = await fakeHost({
      ignoreTerm: true,
      steps: [fake.on('turn/start', RUNNING), fake.on('model/list', fake.noReply())],
    })
    const codex = await host.open()
    const turn = await (await codex.startThread()).startTurn('go')
    const iteration = iterated(turn)
    const pending = rejection(codex.request('model/list', {}))
    const closing = codex.close()
    expect(await within(500, turn.outcome)).toMatchObject({ status: 'interrupted', by: 'shutdown' })
    expect(await within(500, iteration)).toMatchObject({ error: null })
    expect(await within(500, pending)).toBeInstanceOf(TransportClosedError)
    await closing
  })

  it('twice and at once is one close', async () => {
    await using host = await fakeHost()
    const codex = await host.open()
    await within(2_000, Promise.all([codex.close(), codex.close(), codex.close()]))
    host.expectNothingLeft()
    await within(500, codex.close())
    expect(host.program.events().filter(({ event }) => event === 'stdinEnded')).toHaveLength(1)
  })

  it('leaves a client that refuses everything with one reason', async () => {
    await using host = await fakeHost()
    const codex = await host.open()
    const thread = await codex.startThread()
    await codex.close()
    const reason = await codex.closed
    expect(reason).toBeInstanceOf(TransportClosedError)
    expect(await rejection(codex.request('model/list', {}))).toBe(reason)
    expect(await rejection(codex.startThread())).toBe(reason)
    expect(await rejection(thread.startTurn('go'))).toBe(reason)
  })

  it('during turn/start rejects it, and no turn is left hanging', async () => {
    await using host = await fakeHost({ steps: [fake.on('turn/start', fake.turnStarted())] })
    const codex = await host.open()
    const thread = await codex.startThread()
    const starting = rejection(thread.startTurn('go'))
    await host.program.waitFor((event) => event.event === 'received' && event.message.method === 'turn/start')
    await within(2_000, codex.close())
    expect(await starting).toBeInstanceOf(TransportClosedError)
    expect(thread.activeTurn).toBeNull()
  })

  it('during an interrupt settles both', async () => {
    await using host = await fakeHost({
      steps: [fake.on('turn/start', RUNNING), fake.on('turn/interrupt', fake.noReply())],
    })
    const codex = await host.open()
    const said = heard(codex, 'item/completed')
    const turn = await (await codex.startThread()).startTurn('go')
    await said
    const interrupting = turn.interrupt()
    await within(2_000, codex.close())
    await within(500, interrupting)
    expect(await turn.outcome).toMatchObject({ status: 'interrupted', text: 'so far' })
  })

  it('after codex has died by itself is quick and quiet', async () => {
    await using host = await fakeHost({ steps: [fake.on('model/list', fake.crash())] })
    const codex = await host.open()
    const error = await rejection(codex.request('model/list', {}))
    await within(2_000, codex.close())
    expect(await codex.closed).toBe(error)
    host.expectNothingLeft()
  })

  it('ends the notifications without an error', async () => {
    await using host = await fakeHost()
    const codex = await host.open()
    const notifications = codex.notifications()
    const next = notifications.next()
    await codex.close()
    expect(await within(500, next)).toEqual({ value: undefined, done: true })
  })

  it('is what the end of a block does', async () => {
    await using host = await fakeHost()
    {
      await using codex = await host.open()
      await codex.startThread()
    }
    host.expectNothingLeft()
  })
})

describe.concurrent('openCodex', () => {
  it('rejects with the reason of its signal, at whatever moment that comes, and leaves nothing', async () => {
    await using host = await fakeHost()
    for (const afterMs of [0, 20, 80, 140, 200, 260]) {
      const signal = afterMs === 0 ? AbortSignal.abort() : AbortSignal.timeout(afterMs)
      const opened = await within(
        5_000,
        host.open({ signal }).catch((error: unknown) => error),
      )
      if (opened instanceof Error) expect(opened).toBe(signal.reason)
      else await (opened as { close(): Promise<void> }).close()
      // A `codex --version` that was running has been killed, which takes it a moment.
      await eventually(() => processesTagged(host.tag).length === 0, 'everything is gone', 500)
      host.expectNothingLeft()
    }
  })
})
