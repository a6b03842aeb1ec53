// Codex says things in a way it should not: in pieces, too early, too long, not in JSON.
import { describe, expect, it } from 'vitest'
import type { CodexNotification } from '../../src/codex/index.ts'
import { type Action, fake } from '../../src/testing/index.ts'
import { fakeHost } from './fake-host.ts'
import { within } from './processes.ts'
import { iterated } from './watched-host.ts'

const MB = 1024 * 1024

describe.concurrent('a line in pieces', () => {
  it('is put together, also when the cut is inside a character', async () => {
    await using host = await fakeHost({
      steps: [
        fake.on('turn/start', fake.reply({ turn: { id: 'turn-1' } }), ...inPieces(turnSaying('a€b🌉c'))),
      ],
    })
    const codex = await host.open()
    const turn = await (await codex.resumeThread('thread-1')).startTurn('go')
    const { events } = await within(5_000, iterated(turn))
    expect(events.map(({ method }) => method)).toEqual(['item/completed', 'turn/completed'])
    expect(await turn.outcome).toMatchObject({ status: 'completed', text: 'a€b🌉c' })
    expect(host.incidents).toEqual([])
  })

  it('counts, at the end of the stream, also without its newline', async () => {
    const [said, completed] = turnSaying('last words').split('\n')
    await using host = await fakeHost({
      steps: [
        fake.on(
          'turn/start',
          fake.reply({ turn: { id: 'turn-1' } }),
          fake.raw(`${said}\n${completed}`),
          fake.exit(0),
        ),
      ],
    })
    const codex = await host.open()
    const turn = await (await codex.resumeThread('thread-1')).startTurn('go')
    expect(await within(5_000, turn.outcome)).toMatchObject({ status: 'completed', text: 'last words' })
  })
})

describe.concurrent('events', () => {
  it('that come before turn/start is answered are delivered in order, once', async () => {
    const deltas = Array.from({ length: 200 }, (_, index) => `${index} `)
    await using host = await fakeHost({
      steps: [fake.on('turn/start', fake.completedTurn(deltas.join(''), { early: true, deltas }))],
    })
    const codex = await host.open()
    const turn = await (await codex.startThread()).startTurn('go')
    const { events } = await within(5_000, iterated(turn))
    expect(events.map(({ method }) => method)).toEqual([
      'thread/status/changed',
      'turn/started',
      'item/started',
      ...deltas.map(() => 'item/agentMessage/delta'),
      'item/completed',
      'thread/status/changed',
      'turn/completed',
    ])
    expect(deltasOf(events)).toEqual(deltas)
    expect(await turn.outcome).toMatchObject({ status: 'completed', text: deltas.join('') })
  })

  it('may all come before turn/start is answered, the end included', async () => {
    const actions = fake.completedTurn('quick')
    await using host = await fakeHost({ steps: [fake.on('turn/start', ...actions.slice(1), fake.reply())] })
    const codex = await host.open()
    const thread = await codex.startThread()
    const turn = await thread.startTurn('go')
    expect(await within(5_000, turn.outcome)).toMatchObject({ status: 'completed', text: 'quick' })
    expect((await iterated(turn)).events.at(-1)!.method).toBe('turn/completed')
    expect(thread.activeTurn).toBeNull()
  })

  it('without params, or of unknown methods and items, disturb nobody', async () => {
    const odd = [
      fake.raw(
        '{"method":"fake/bare"}\n{"method":"turn/completed"}\n{"method":"item/completed","params":null}\n',
      ),
      fake.notify('turn/completed', { threadId: '$threadId' }),
      fake.notify('item/completed', { threadId: '$threadId', turnId: '$turnId' }),
      fake.notify('item/completed', {
        threadId: '$threadId',
        turnId: '$turnId',
        item: { type: 'fromTheFuture' },
      }),
      fake.notify('thread/tokenUsage/updated', {
        threadId: '$threadId',
        turnId: '$turnId',
        tokenUsage: 'much',
      }),
      fake.notify('future/event', { threadId: '$threadId', turnId: '$turnId', x: 1 }),
    ]
    const [reply, ...rest] = fake.completedTurn('fine')
    await using host = await fakeHost({ steps: [fake.on('turn/start', reply!, ...odd, ...rest)] })
    const codex = await host.open()
    const heard: string[] = []
    codex.subscribe(({ method }) => heard.push(method))
    const turn = await (await codex.startThread()).startTurn('go')
    expect(await within(5_000, turn.outcome)).toMatchObject({
      status: 'completed',
      text: 'fine',
      usage: null,
    })
    expect(heard).toEqual(expect.arrayContaining(['fake/bare', 'future/event']))
    expect((await iterated(turn)).events.map(({ method }) => method)).toContain('future/event')
    expect(host.incidents).toEqual([])
  })
})

describe.concurrent('a long line', () => {
  it('beyond the cap is skipped and reported with its length, and the turn completes', async () => {
    await using host = await fakeHost(
      { steps: [fake.on('turn/start', fake.oversize(250_000), fake.asUsual(), fake.oversize(100_001))] },
      { maxLineBytes: 100_000 },
    )
    const codex = await host.open()
    const turn = await (await codex.startThread()).startTurn('go')
    expect(await within(5_000, turn.outcome)).toMatchObject({ status: 'completed', text: 'ok' })
    await codex.request('model/list', {})
    expect(host.incidents).toEqual([
      { type: 'oversize-line', bytes: 250_000 },
      { type: 'oversize-line', bytes: 100_001 },
    ])
  })

  it('of 70 MB is beyond the default cap; one of 30 MB is delivered whole', async () => {
    await using host = await fakeHost({
      steps: [fake.on('turn/start', fake.oversize(70 * MB), fake.oversize(30 * MB), fake.asUsual())],
    })
    const codex = await host.open()
    const lengths: number[] = []
    codex.subscribe(({ method, raw }) => (method as string) === 'fake/oversize' && lengths.push(raw.length))
    const turn = await (await codex.startThread()).startTurn('go')
    expect(await within(20_000, turn.outcome)).toMatchObject({ status: 'completed' })
    expect(host.incidents).toEqual([{ type: 'oversize-line', bytes: 70 * MB }])
    expect(lengths).toEqual([30 * MB])
  })
})

describe.concurrent('what is not a message', () => {
  it('is reported and survived', async () => {
    const odd = [
      'thread main panicked',
      '{"method":"cut',
      '42',
      'null',
      '[]',
      '{}',
      '{"id":9}',
      '{"id":null,"result":{}}',
    ]
    await using host = await fakeHost({
      steps: [fake.on('turn/start', fake.raw(odd.map((line) => `${line}\n\r\n`).join('')), fake.asUsual())],
    })
    const codex = await host.open()
    const turn = await (await codex.startThread()).startTurn('go')
    expect(await within(5_000, turn.outcome)).toMatchObject({ status: 'completed', text: 'ok' })
    expect(host.incidents).toEqual([
      { type: 'non-json-line', line: odd[0], length: 20 },
      { type: 'non-json-line', line: odd[1], length: 14 },
      ...odd.slice(2, 7).map((line) => ({ type: 'malformed-message', line, length: line.length })),
      { type: 'unknown-reply', id: null },
    ])
  })

  it('is reported with no more than its beginning', async () => {
    await using host = await fakeHost({
      steps: [fake.on('model/list', fake.raw(`${'x'.repeat(MB)}\n`), fake.reply())],
    })
    const codex = await host.open()
    await codex.request('model/list', {})
    expect(host.incidents).toEqual([{ type: 'non-json-line', line: 'x'.repeat(200), length: MB }])
  })

  it('because of invalid UTF-8 is reported; inside a string it only marks the place', async () => {
    const broken = Buffer.concat([
      Buffer.from('{"method":"fake/broken","params":{"text":"a'),
      Buffer.from([0xff, 0xc3]),
      Buffer.from('b"}}\n'),
      Buffer.from([0xff, 0xfe, 0x0a]),
    ])
    await using host = await fakeHost({ steps: [fake.on('turn/start', fake.raw(broken), fake.asUsual())] })
    const codex = await host.open()
    const texts: unknown[] = []
    codex.subscribe(({ method, params }) => (method as string) === 'fake/broken' && texts.push(params))
    const turn = await (await codex.startThread()).startTurn('go')
    expect(await within(5_000, turn.outcome)).toMatchObject({ status: 'completed' })
    expect(texts).toEqual([{ text: 'a\ufffd\ufffdb' }])
    expect(host.incidents).toEqual([{ type: 'non-json-line', line: '\ufffd\ufffd', length: 2 }])
  })
})

describe.concurrent('a subscriber that throws', () => {
  it('is reported, and neither the turn nor the other subscribers miss anything', async () => {
    await using host = await fakeHost()
    const codex = await host.open()
    const heard: string[] = []
    codex.subscribe(() => {
      throw new Error('bad subscriber')
    })
    codex.subscribe(({ method }) => heard.push(method))
    const turn = await (await codex.startThread()).startTurn('go')
    const { events } = await within(5_000, iterated(turn))
    expect(await turn.outcome).toMatchObject({ status: 'completed', text: 'ok' })
    expect(heard).toEqual(events.map(({ method }) => method))
    expect(host.incidents).toHaveLength(events.length)
    expect(host.incidents[0]).toMatchObject({ type: 'handler-failed', error: { message: 'bad subscriber' } })
  })
})

function turnSaying(text: string): string {
  const place = { threadId: 'thread-1', turnId: 'turn-1' }
  const item = { type: 'agentMessage', id: 'item-1', text }
  const said = { method: 'item/completed', params: { ...place, item } }
  const turn = { id: 'turn-1', status: 'completed', items: [] }
  const completed = { method: 'turn/completed', params: { threadId: 'thread-1', turn } }
  return `${JSON.stringify(said)}\n${JSON.stringify(completed)}\n`
}

/** Cut after every seventh byte, with a pause, so that each piece is read alone. */
function inPieces(text: string): Action[] {
  const bytes = Buffer.from(text)
  const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, index) =>
    bytes.subarray(index * 7, index * 7 + 7),
  )
  return pieces.flatMap((piece) => [fake.raw(piece), fake.delay(2)])
}

function deltasOf(events: readonly CodexNotification[]): string[] {
  return events.flatMap((event) => (event.method === 'item/agentMessage/delta' ? [event.params.delta] : []))
}
