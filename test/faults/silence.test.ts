// A turn that says nothing. Silence makes us look, and what codex says then decides; no clock ever does.
import { describe, expect, it } from 'vitest'
import { fake } from '../../src/testing/index.ts'
import { type FakeHost, fakeHost } from './fake-host.ts'
import { within } from './processes.ts'

const STARTED = [fake.reply(), ...fake.turnStarted()]
const LOOK = { afterMs: 60, everyMs: 30 }

const thread = (type: string) => fake.reply({ thread: { id: '$threadId', status: { type }, turns: [] } })
const history = (...turns: object[]) => fake.reply({ data: turns, nextCursor: null })
const finished = (status: string, text: string) => ({
  id: '$turnId',
  status,
  error: null,
  items: [{ type: 'agentMessage', id: 'seen-later', text, phase: null }],
})
const command = fake.notify('item/started', {
  threadId: '$threadId',
  turnId: '$turnId',
  item: { type: 'commandExecution', id: 'c1', command: 'make', status: 'inProgress' },
})

async function silentTurn(host: FakeHost, handlers = {}) {
  const codex = await host.open({ look: LOOK, handlers })
  return (await codex.startThread()).startTurn('go')
}

function looks(host: FakeHost): number {
  return host.program.received().filter(({ method }) => method === 'thread/read').length
}

describe.concurrent('a silent turn', () => {
  it.each(['completed', 'interrupted'])(
    'that has ended as %s without our hearing of it is what it is',
    async (status) => {
      await using host = await fakeHost({
        steps: [
          fake.on('turn/start', STARTED),
          fake.on('thread/read', thread('idle')),
          fake.on('thread/turns/list', history(finished(status, 'said in silence'))),
        ],
      })
      const turn = await silentTurn(host)
      expect(await within(5_000, turn.outcome)).toMatchObject({ status, text: 'said in silence' })
    },
  )

  it('that codex says is active is left alone, and looked at again', async () => {
    await using host = await fakeHost({
      steps: [
        fake.on('turn/start', STARTED),
        fake.once('thread/read', thread('active')),
        fake.once('thread/read', thread('active')),
        fake.on('thread/read', thread('active'), ...fake.agentMessage('here'), ...fake.turnCompleted()),
      ],
    })
    const turn = await silentTurn(host)
    expect(await within(5_000, turn.outcome)).toMatchObject({ status: 'completed', text: 'here' })
    expect(looks(host)).toBe(3)
  })

  it('that codex no longer knows is lost, and the thread can be resumed', async () => {
    await using host = await fakeHost({
      steps: [
        fake.on('turn/start', STARTED),
        fake.on('thread/read', thread('idle')),
        fake.on('thread/turns/list', history()),
      ],
    })
    const turn = await silentTurn(host)
    expect(await within(5_000, turn.outcome)).toMatchObject({
      status: 'lost',
      error: { message: 'codex no longer knows this turn', resumable: true },
    })
  })

  it('whose look fails goes on', async () => {
    await using host = await fakeHost({
      steps: [
        fake.on('turn/start', STARTED),
        fake.once('thread/read', fake.error(-32603, 'disk on fire')),
        fake.on('thread/read', thread('active'), ...fake.turnCompleted()),
      ],
    })
    const turn = await silentTurn(host)
    expect(await within(5_000, turn.outcome)).toMatchObject({ status: 'completed' })
    expect(host.incidents).toMatchObject([{ type: 'look-failed', turnId: turn.id }])
  })

  it('with a running command is healthy: nobody asks', async () => {
    await using host = await fakeHost({
      steps: [fake.on('turn/start', STARTED, command, fake.delay(600), ...fake.turnCompleted())],
    })
    const turn = await silentTurn(host)
    expect(await within(5_000, turn.outcome)).toMatchObject({ status: 'completed' })
    expect(looks(host)).toBe(0)
  })

  it('with an open question is healthy: nobody asks', async () => {
    const ask = fake.request(
      'item/commandExecution/requestApproval',
      { threadId: '$threadId', turnId: '$turnId' },
      'q',
    )
    await using host = await fakeHost({
      steps: [fake.on('turn/start', STARTED, ask, fake.delay(600), ...fake.turnCompleted())],
    })
    const unanswered = { 'item/commandExecution/requestApproval': () => new Promise<never>(() => {}) }
    const turn = await silentTurn(host, unanswered)
    expect(await within(5_000, turn.outcome)).toMatchObject({ status: 'completed' })
    expect(looks(host)).toBe(0)
  })
})

describe('the word of an old version', () => {
  it('that the turn was aborted ends it', async () => {
    await using host = await fakeHost({
      steps: [fake.on('turn/start', STARTED, ...fake.agentMessage('<turn_aborted>\nThe user interrupted.'))],
    })
    expect(await within(5_000, (await silentTurn(host)).outcome)).toMatchObject({
      status: 'interrupted',
      by: 'codex',
    })
  })
})
