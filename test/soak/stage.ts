// What one lane does with one thread: starts turns, looks at them, and holds how they ended against what was done.
import assert from 'node:assert/strict'
import {
  type Codex,
  type CodexNotification,
  type QueuedTurn,
  type Thread,
  TransportClosedError,
  type Turn,
  type TurnOptions,
  type TurnOutcome,
} from '../../src/codex/index.ts'
import type { Fleet } from './fleet.ts'
import type { Ledger } from './ledger.ts'
import { answerText, type Prompt, promptText } from './prompt.ts'
import type { Random } from './random.ts'

/** The app-server was killed under this turn. What had been started is still in the ledger and has to settle. */
export class Killed extends Error {}

export interface Watched {
  readonly deltas: number
  readonly streamed: string
  /** What iterating threw. */
  readonly error: unknown
}

interface StageParts {
  readonly id: string
  readonly thread: Thread
  readonly codex: Codex
  readonly fleet: Fleet
  readonly ledger: Ledger
  readonly random: Random
  /** Given to every turn and never aborted. */
  readonly signal: AbortSignal
}

export class Stage {
  readonly thread: Thread
  readonly codex: Codex
  readonly fleet: Fleet
  readonly ledger: Ledger
  readonly random: Random
  readonly #id: string
  readonly #signal: AbortSignal
  #prompts = 0

  constructor({ id, signal, thread, codex, fleet, ledger, random }: StageParts) {
    this.#id = id
    this.#signal = signal
    this.thread = thread
    this.codex = codex
    this.fleet = fleet
    this.ledger = ledger
    this.random = random
  }

  prompt(does: Prompt['does'], pace: Pick<Prompt, 'deltas' | 'delayMs'> = {}): Prompt {
    return { id: `${this.#id}-${this.#prompts++}`, does, ...pace }
  }

  async start(prompt: Prompt, options: TurnOptions = {}): Promise<Turn> {
    const started = this.thread.startTurn(promptText(prompt), { signal: this.#signal, ...options })
    const turn = await this.ledger.track(`turn/start ${prompt.id}`, started)
    this.#enter(turn, prompt)
    return turn
  }

  /** Puts a turn into the thread's queue. */
  queue(prompt: Prompt): QueuedTurn {
    const queued = this.thread.queue.add(promptText(prompt), { signal: this.#signal })
    this.expectQueued(queued, prompt)
    return queued
  }

  /** Notes that a turn has been queued: that it starts or is refused, and how it ends. */
  expectQueued(queued: QueuedTurn, prompt: Prompt): void {
    this.ledger.count('queued')
    const entered = queued.turn.then(
      (turn) => this.#enter(turn, prompt),
      () => this.ledger.count('queued turns that never started'),
    )
    this.#note(`queued ${prompt.id}`, entered)
  }

  /** Iterates the turn to its end. */
  async watch(turn: Turn, onEvent: (event: CodexNotification) => void = () => {}): Promise<Watched> {
    let deltas = 0
    let streamed = ''
    const iterate = async () => {
      for await (const event of turn) {
        onEvent(event)
        if (event.method !== 'item/agentMessage/delta') continue
        deltas++
        streamed += event.params.delta
      }
    }
    const error = await this.ledger.track(`iterating ${turn.id}`, iterate()).then(
      () => null,
      (reason: unknown) => reason,
    )
    const { status } = await this.#outcomeOf(turn)
    const isAsItShould = status === 'lost' ? error instanceof TransportClosedError : error === null
    assert.ok(isAsItShould, `iterating a turn that is ${status} threw ${error}`)
    return { deltas, streamed, error }
  }

  /** The outcome, which must be one of these, unless the app-server was killed. */
  async ended<Status extends TurnOutcome['status']>(
    turn: Turn,
    ...allowed: Status[]
  ): Promise<Extract<TurnOutcome, { status: Status }>> {
    const outcome = await this.#outcomeOf(turn)
    if (outcome.status === 'lost' && !allowed.includes('lost' as Status)) this.lost(outcome)
    const why = 'error' in outcome ? outcome.error.message : ''
    assert.ok((allowed as string[]).includes(outcome.status), `${outcome.status}, not ${allowed} ${why}`)
    return outcome as Extract<TurnOutcome, { status: Status }>
  }

  /** It completed with the answer to this prompt. */
  async answered(turn: Turn, prompt: Prompt): Promise<void> {
    const outcome = await this.ended(turn, 'completed')
    assert.equal(outcome.text, answerText(prompt))
    assert.equal(outcome.turnId, turn.id)
    assert.equal(turn.droppedDeltas, 0)
  }

  /** The turn a queued one became; the thread must have been free for it. */
  async started(queued: QueuedTurn): Promise<Turn> {
    return this.ledger.track('a queued turn', queued.turn)
  }

  /** A turn may only be lost when we killed codex, and can then be taken up again. */
  lost(outcome: Extract<TurnOutcome, { status: 'lost' }>): never {
    assert.ok(this.fleet.wasKilled(this.codex), `lost without a kill: ${outcome.error.message}`)
    assert.equal(outcome.error.resumable, true)
    throw new Killed()
  }

  #outcomeOf(turn: Turn): Promise<TurnOutcome> {
    return this.ledger.track(`the outcome of ${turn.id}`, turn.outcome)
  }

  #enter(turn: Turn, prompt: Prompt): void {
    this.ledger.count('turns')
    const settled = turn.outcome.then(({ status }) => this.ledger.count(`turn ${status}`))
    this.#note(`turn ${prompt.id} (${prompt.does})`, settled)
  }

  /** For what nobody on the stage waits for. */
  #note(what: string, promise: Promise<unknown>): void {
    this.ledger.track(what, promise).catch((error) => this.ledger.violated(String(error)))
  }
}
