// The texts that are just being streamed, each by thread, turn, item and kind. Bounded: an item whose end never comes
// costs its live text, not memory.
import { RedactingStream, type Redactor } from './redaction/index.ts'
import { WireNotification } from './wire/index.ts'

/** Where a delta belongs. Realtime transcripts have no turn, some of them no item but a role. */
export interface DeltaParams {
  readonly threadId: string
  readonly turnId?: string
  readonly itemId?: string
  readonly role?: string
  readonly contentIndex?: number
  readonly summaryIndex?: number
  readonly delta: string
}

export interface DeltaLimits {
  readonly turns: number
  readonly streamsPerTurn: number
  readonly endedPerTurn: number
  /** Characters held back, of all streams together. */
  readonly held: number
}

const LIMITS: DeltaLimits = {
  turns: 1_000,
  streamsPerTurn: 200,
  endedPerTurn: 10_000,
  held: 16 * 1024 * 1024,
}

interface DeltaStream {
  readonly itemId: string
  readonly part: number
  readonly text: RedactingStream
  /** What came last: the shape of the delta that flushes. */
  last: WireNotification
}

interface TurnStreams {
  /** Its beginning was heard here, so that of each of its items was too. */
  isWhole: boolean
  /** Items whose beginning was heard, of a turn whose own was not. */
  readonly begun: Set<string>
  readonly ended: Set<string>
  readonly streams: Map<string, DeltaStream>
}

export class DeltaStreams {
  readonly #redactor: Redactor
  readonly #limits: DeltaLimits
  readonly #turns = new Map<string, TurnStreams>()
  /** The stream of the last delta, as long as it is open. */
  #latest: DeltaStream | null = null
  #held = 0

  constructor(redactor: Redactor, limits: DeltaLimits = LIMITS) {
    this.#redactor = redactor
    this.#limits = limits
  }

  /** What may be shown of a delta now. Of an item that has ended nothing: its whole text is known. */
  push(received: WireNotification, params: DeltaParams): string {
    const stream = this.#isLatest(received, params) ? this.#latest! : this.#find(received, params)
    if (!stream) return ''
    this.#latest = stream
    stream.last = received
    const before = stream.text.heldLength
    const shown = stream.text.push(params.delta)
    this.#held += stream.text.heldLength - before
    if (this.#held > this.#limits.held) this.#forgetOldest()
    return shown
  }

  /** Most deltas go on where the one before them was. */
  #isLatest({ method }: WireNotification, params: DeltaParams): boolean {
    if (this.#latest === null || this.#latest.last.method !== method) return false
    const last = this.#latest.last.params as DeltaParams
    return (
      last.itemId === params.itemId &&
      last.turnId === params.turnId &&
      last.threadId === params.threadId &&
      last.role === params.role &&
      partOf(last) === partOf(params)
    )
  }

  /** null for an item that has ended. */
  #find(received: WireNotification, params: DeltaParams): DeltaStream | null {
    const { threadId, turnId = '', itemId = params.role ?? '' } = params
    const turn = this.#turn(threadId, turnId)
    if (turn.ended.has(itemId)) return null
    const part = partOf(params)
    const key = `${received.method} ${part} ${itemId}`
    return turn.streams.get(key) ?? this.#open(turn, key, { itemId, part, last: received })
  }

  beginTurn(threadId: string, turnId: string): void {
    if (!this.#turns.has(keyOf(threadId, turnId))) this.#turn(threadId, turnId).isWhole = true
  }

  beginItem(threadId: string, turnId: string, itemId: string): void {
    const turn = this.#turn(threadId, turnId)
    turn.ended.delete(itemId)
    if (!turn.isWhole) turn.begun.add(itemId)
  }

  /** The last deltas of an item; with `beforePart` only of its parts before that one, and it goes on. */
  endItem(
    { threadId, turnId = '', itemId }: { threadId: string; turnId?: string | undefined; itemId: string },
    beforePart: number = Number.POSITIVE_INFINITY,
  ): readonly WireNotification[] {
    this.#latest = null
    const turn = this.#turns.get(keyOf(threadId, turnId))
    if (!turn) return NONE
    const streams = [...turn.streams].filter(
      ([, stream]) => stream.itemId === itemId && stream.part < beforePart,
    )
    for (const [key] of streams) turn.streams.delete(key)
    if (beforePart === Number.POSITIVE_INFINITY && turnId !== '') this.#close(turn, itemId)
    return this.#lastDeltas(streams.map(([, stream]) => stream))
  }

  /** The last deltas of items that have not completed. */
  endTurn(threadId: string, turnId: string): readonly WireNotification[] {
    this.#latest = null
    const turn = this.#turns.get(keyOf(threadId, turnId))
    this.#turns.delete(keyOf(threadId, turnId))
    return turn ? this.#lastDeltas([...turn.streams.values()]) : NONE
  }

  endThread(threadId: string): readonly WireNotification[] {
    const prefix = keyOf(threadId, '')
    const turns = [...this.#turns.keys()].filter((key) => key.startsWith(prefix))
    return turns.flatMap((key) => this.endTurn(threadId, key.slice(prefix.length)))
  }

  #turn(threadId: string, turnId: string): TurnStreams {
    const key = keyOf(threadId, turnId)
    const known = this.#turns.get(key)
    if (known) return known
    if (this.#turns.size >= this.#limits.turns) this.#forgetOldest()
    // What has no turn is not known by its beginning.
    const isWhole = turnId === ''
    const turn: TurnStreams = { isWhole, begun: new Set(), ended: new Set(), streams: new Map() }
    this.#turns.set(key, turn)
    return turn
  }

  #open(turn: TurnStreams, key: string, stream: Omit<DeltaStream, 'text'>): DeltaStream {
    const joinsMidway = !turn.isWhole && !turn.begun.has(stream.itemId)
    const opened = { ...stream, text: new RedactingStream(this.#redactor, { joinsMidway }) }
    if (turn.streams.size >= this.#limits.streamsPerTurn) this.#mute(turn)
    turn.streams.set(key, opened)
    return opened
  }

  /** Gives up the live text of a turn's oldest stream. To flush it could show half a secret. */
  #mute({ streams, ended }: TurnStreams): void {
    this.#latest = null
    const [key, { itemId, text }] = streams.entries().next().value!
    streams.delete(key)
    ended.add(itemId)
    this.#held -= text.heldLength
  }

  #close(turn: TurnStreams, itemId: string): void {
    turn.ended.add(itemId)
    if (turn.ended.size <= this.#limits.endedPerTurn) return
    turn.ended.clear()
    turn.begun.clear()
    turn.isWhole = false
  }

  /** Whatever comes of it later is taken for a text whose beginning was not heard. */
  #forgetOldest(): void {
    this.#latest = null
    const oldest = this.#turns.entries().next().value
    if (!oldest) return
    this.#turns.delete(oldest[0])
    for (const { text } of oldest[1].streams.values()) this.#held -= text.heldLength
  }

  #lastDeltas(streams: readonly DeltaStream[]): readonly WireNotification[] {
    const deltas: WireNotification[] = []
    for (const { text, last } of streams) {
      this.#held -= text.heldLength
      const rest = text.end()
      if (rest !== '') deltas.push(withDelta(last, rest))
    }
    return deltas
  }
}

/** The same notification with another text. */
export function withDelta(
  { method, params, emittedAtMs }: WireNotification,
  delta: string,
): WireNotification {
  const message = {
    method,
    params: { ...(params as object), delta },
    ...(emittedAtMs !== null && { emittedAtMs }),
  }
  return new WireNotification(message, JSON.stringify(message))
}

export const NONE: readonly WireNotification[] = []

function partOf({ summaryIndex, contentIndex }: DeltaParams): number {
  return summaryIndex ?? contentIndex ?? 0
}

function keyOf(threadId: string, turnId: string): string {
  return `${threadId} ${turnId}`
}
