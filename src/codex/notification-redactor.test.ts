import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DeltaStreams } from './delta-streams.ts'
import { NotificationRedactor } from './notification-redactor.ts'
import { PLANTED_KINDS, pieceOf } from './redaction/fixtures/planted-secrets.ts'
import { createRedactor, redact, registerSecrets } from './redaction/index.ts'
import { WireNotification } from './wire/index.ts'

const DELTAS = ['item/agentMessage/delta', 'item/commandExecution/outputDelta', 'item/reasoning/textDelta']
const TOKEN = `ghp_${'a1B2c3D4e5'.repeat(4)}`

function wire(method: string, params: object): WireNotification {
  const message = { method, params, emittedAtMs: 1 }
  return new WireNotification(message, JSON.stringify(message))
}

const turnStarted = (threadId: string, id = 't') => wire('turn/started', { threadId, turn: { id } })
const turnCompleted = (threadId: string, id = 't') => wire('turn/completed', { threadId, turn: { id } })
const said = (threadId: string, delta: string, change: object = {}) =>
  wire(DELTAS[0]!, { threadId, turnId: 't', itemId: 'i', delta, ...change })
const itemCompleted = (threadId: string, id = 'i', turnId = 't') =>
  wire('item/completed', { threadId, turnId, item: { id, type: 'agentMessage', text: '' } })

/** Everything that comes out, as one list. */
function pass(
  notifications: readonly WireNotification[],
  redactor = new NotificationRedactor(),
): WireNotification[] {
  return notifications.flatMap((received) => [...redactor.heldBefore(received), redactor.redact(received)])
}

/** The deltas of one stream put together; their `raw` says the same. */
function textOf(told: readonly WireNotification[], matching: object = {}): string {
  const deltas = told.filter(({ params }) => typeof (params as { delta?: unknown }).delta === 'string')
  for (const { method, params, raw } of deltas) expect(JSON.parse(raw)).toMatchObject({ method, params })
  const wanted = deltas.filter(({ params }) =>
    Object.entries(matching).every(([name, value]) => (params as Record<string, unknown>)[name] === value),
  )
  return wanted.map(({ params }) => (params as { delta: string }).delta).join('')
}

describe('an item', () => {
  it('gives its held end as a last delta before it completes', () => {
    const told = pass([turnStarted('a'), said('a', 'two wor'), said('a', 'ds'), itemCompleted('a')])
    expect(told.map(({ method }) => method)).toEqual([
      'turn/started',
      DELTAS[0],
      DELTAS[0],
      DELTAS[0],
      'item/completed',
    ])
    expect(told[3]!.params).toEqual({ threadId: 'a', turnId: 't', itemId: 'i', delta: 'words' })
    expect(textOf(told)).toBe('two words')
  })

  it('that never completes gives it before its turn does', () => {
    const told = pass([turnStarted('a'), said('a', 'two words'), turnCompleted('a')])
    expect(told.at(-1)!.method).toBe('turn/completed')
    expect(textOf(told)).toBe('two words')
  })

  it('keeps its half of a secret when the turn of another thread ends', () => {
    const [head, tail] = [TOKEN.slice(0, 20), TOKEN.slice(20)]
    const told = pass([
      turnStarted('a'),
      turnStarted('b'),
      said('a', head),
      turnCompleted('b'),
      said('a', tail),
      itemCompleted('a'),
    ])
    expect(textOf(told)).toBe(redact(TOKEN))
  })

  it('is not mixed with one of the same id in another thread or turn', () => {
    const told = pass([
      turnStarted('a'),
      turnStarted('b'),
      said('a', 'from a'),
      said('b', 'from b'),
      said('a', ' and a', { turnId: 'u' }),
      itemCompleted('a'),
      itemCompleted('b'),
    ])
    expect(textOf(told, { threadId: 'a', turnId: 't' })).toBe('from a')
    expect(textOf(told, { threadId: 'b' })).toBe('from b')
  })

  it('gives the end of each part of a reasoning in its place', () => {
    const part = (summaryIndex: number, delta: string) =>
      wire('item/reasoning/summaryTextDelta', {
        threadId: 'a',
        turnId: 't',
        itemId: 'i',
        delta,
        summaryIndex,
      })
    const added = wire('item/reasoning/summaryPartAdded', {
      threadId: 'a',
      turnId: 't',
      itemId: 'i',
      summaryIndex: 1,
    })
    const told = pass([turnStarted('a'), part(0, 'one end'), added, part(1, 'two'), itemCompleted('a')])
    expect(textOf(told)).toBe('one endtwo')
    expect(textOf(told, { summaryIndex: 0 })).toBe('one end')
  })

  it('that has completed says nothing more: its whole text is known', () => {
    const told = pass([turnStarted('a'), itemCompleted('a'), said('a', 'late words ')])
    expect(textOf(told)).toBe('')
  })
})

describe('a delta', () => {
  it('with nothing to hide and nothing held is passed on itself', () => {
    const redactor = new NotificationRedactor()
    pass([turnStarted('a')], redactor)
    const tick = said('a', 'tick ')
    expect(redactor.redact(tick)).toBe(tick)
    expect(redactor.heldBefore(tick)).toBe(redactor.heldBefore(said('b', 'x')))
  })

  it('of a text whose beginning was not heard is shown from the first whole line on', () => {
    const told = pass([
      said('a', 'ter2 and'),
      said('a', ' more\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC'),
      said('a', '\nplain text\nand so on'),
      itemCompleted('a'),
    ])
    expect(textOf(told)).toBe('plain text\nand so on')
  })

  it('of an item that began while we listened is shown whole', () => {
    const begun = wire('item/started', { threadId: 'a', turnId: 't', item: { id: 'i' } })
    expect(textOf(pass([begun, said('a', 'word'), itemCompleted('a')]))).toBe('word')
  })

  it('of a transcript without a turn is held and flushed too', () => {
    const delta = (text: string) =>
      wire('thread/realtime/transcript/delta', { threadId: 'a', role: 'user', delta: text })
    const done = wire('thread/realtime/transcript/done', { threadId: 'a', role: 'user', text: TOKEN })
    const told = pass([delta(TOKEN.slice(0, 9)), delta(TOKEN.slice(9)), done, delta('more '), done])
    expect(textOf(told)).toBe(`${redact(TOKEN)}more `)
  })

  it('does not give out the first word of a registered secret with spaces', () => {
    const stop = registerSecrets(['correct horse battery'])
    const told = pass([
      turnStarted('a'),
      ...['it is cor', 'rect ho', 'rse ', 'batt', 'ery now'].map((piece) => said('a', piece)),
      itemCompleted('a'),
    ])
    stop()
    expect(textOf(told)).toBe('it is …tery now')
    expect(textOf(pass([turnStarted('a'), said('a', 'correct horse '), itemCompleted('a')]))).toBe(
      'correct horse ',
    )
  })
})

describe('items that never end', () => {
  const small = { turns: 3, streamsPerTurn: 2, endedPerTurn: 2, held: 100 }
  const bounded = () => {
    const redactor = createRedactor()
    return new NotificationRedactor(redactor, new DeltaStreams(redactor, small))
  }
  const [head, tail] = [TOKEN.slice(0, 20), `${TOKEN.slice(20)} x`]

  it.each([
    ['too many turns', ['b', 'c', 'd', 'e'].flatMap((id) => [turnStarted(id), said(id, 'x')])],
    ['too many items of a turn', ['j', 'k', 'l'].map((itemId) => said('a', 'x', { itemId }))],
    ['too much text', [turnStarted('b'), said('b', 'y'.repeat(101))]],
    ['too many ended items', ['j', 'k', 'l'].map((id) => itemCompleted('a', id))],
  ])('cost their live text, never a secret: %s', (_, others) => {
    const told = pass([turnStarted('a'), said('a', head), ...others, said('a', tail)], bounded())
    expect(pieceOf(TOKEN.slice(4), textOf(told))).toBeNull()
  })
})

const ALNUM = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789']
const aSecret = fc.constantFrom(...PLANTED_KINDS).chain(({ length, write }) =>
  fc
    .array(fc.constantFrom(...ALNUM), { minLength: length - 3, maxLength: length - 3 })
    .map((characters) => `${characters.join('')}`)
    .map((body) => ({ secret: `q7${body}Z`, text: write(`q7${body}Z`) })),
)
const aLine = fc.oneof(
  fc.constantFrom(
    '',
    'Some words here.',
    '  export ',
    '- a point',
    'password reset',
    'login me',
    'x = y',
    '{',
  ),
  fc.lorem({ maxCount: 6 }),
)
/** A text with secrets in it, and how it is cut. */
const aStream = fc.record({
  threadId: fc.constantFrom('a', 'b', 'c'),
  turnId: fc.constantFrom('t', 'u'),
  itemId: fc.constantFrom('i', 'j'),
  method: fc.constantFrom(...DELTAS),
  parts: fc.array(fc.tuple(aLine, aSecret, fc.constantFrom('\n', ' and\n', '\n\n')), { maxLength: 3 }),
  cuts: fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 8 }),
  completes: fc.boolean(),
})

function piecesOf(text: string, cuts: readonly number[]): string[] {
  const pieces: string[] = []
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const size = cuts[turn % cuts.length]!
    pieces.push(text.slice(at, at + size))
    at += size
  }
  return pieces
}

it('any interleaving of threads, any cut of any secret: no piece comes out, and the deltas are the redacted whole', () => {
  const streams = fc.uniqueArray(aStream, {
    minLength: 1,
    maxLength: 5,
    selector: ({ threadId, turnId, itemId, method }) => `${threadId} ${turnId} ${itemId} ${method}`,
  })
  let deltas = 0
  fc.assert(
    fc.property(streams, fc.infiniteStream(fc.nat(1_000)), (all, order) => {
      const open = all.map(({ parts, cuts, completes: _, method, ...place }) => {
        const text = parts.map(([line, { text: secret }, after]) => `${line}\n${secret}${after}`).join('')
        return { text, method, place, rest: piecesOf(text, cuts) }
      })
      const turns = [...new Set(all.map(({ threadId, turnId }) => `${threadId} ${turnId}`))]
      const sent = turns.map((turn) => turnStarted(...(turn.split(' ') as [string, string])))
      for (let left = open.filter(({ rest }) => rest.length > 0); left.length > 0; ) {
        const { method, place, rest } = left[order.next().value % left.length]!
        sent.push(wire(method, { ...place, delta: rest.shift() }))
        left = open.filter((stream) => stream.rest.length > 0)
        endWhatIsDone(sent, open, all)
      }
      for (const turn of turns) sent.push(turnCompleted(...(turn.split(' ') as [string, string])))
      deltas += sent.length
      const told = pass(sent)
      for (const { text, method, place } of open)
        expect(
          textOf(
            told.filter((each) => each.method === method),
            place,
          ),
        ).toBe(redact(text))
      const shown = textOf(told)
      for (const { parts } of all)
        for (const [, { secret }] of parts) expect(pieceOf(secret, shown)).toBeNull()
    }),
    { numRuns: 600 },
  )
  expect(deltas).toBeGreaterThan(10_000)
})

interface OpenStream {
  readonly place: { threadId: string; turnId: string; itemId: string }
  readonly rest: readonly string[]
}

/** Completes, once, each item that wants it and has nothing more to say. */
function endWhatIsDone(
  sent: WireNotification[],
  open: readonly OpenStream[],
  all: readonly { completes: boolean }[],
): void {
  for (const [index, { place }] of open.entries()) {
    const { threadId, turnId, itemId } = place
    const same = open.filter(
      (other) =>
        other.place.threadId === threadId && other.place.turnId === turnId && other.place.itemId === itemId,
    )
    const end = itemCompleted(threadId, itemId, turnId)
    if (!all[index]!.completes || same.some(({ rest }) => rest.length > 0)) continue
    if (!sent.some(({ raw }) => raw === end.raw)) sent.push(end)
  }
}
