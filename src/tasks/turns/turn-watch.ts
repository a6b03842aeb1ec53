// Sees a turn to its end, wherever it has to be looked for: over a broken connection, after codex died.
import { setTimeout as delay } from 'node:timers/promises'
import type { Turn } from '../../codex/index.ts'
import { messagesOfTurn, type StoredTask, taskRow } from '../../store/index.ts'
import type { Link } from '../link/index.ts'
import { type Attached, type AttachParts, attach, lookAfterDeath, settledAfterDeath } from './attach.ts'
import type { Run } from './run.ts'
import { type Settled, settledByHistory, settledByOutcome } from './settled.ts'

/** A connection that breaks again and again while codex lives is given up after so many tries. */
const MAX_ATTACHES = 10
/** A connection that stood this long was well: what broke before it does not count. */
const STEADY_MS = 10_000
/** A turn can end between two looks at it. */
const FIND_AGAIN_MS = 50

/** A turn that runs, or how it ended. */
export type Found = { readonly turn: Turn } | { readonly settled: Settled }

function lost(turnId: string): Found {
  return { settled: { turnId, status: 'lost', text: null, failure: null, evidence: {} } }
}

interface TurnWatchParts extends AttachParts {
  readonly now: () => number
}

export class TurnWatch {
  readonly #parts: TurnWatchParts

  constructor(parts: TurnWatchParts) {
    this.#parts = parts
  }

  /** null when the service stops first. */
  async settledOf(run: Run, found: Found, link: Link | null): Promise<Settled | null> {
    let now = found
    for (let attaches = 0; ; ) {
      if ('settled' in now) return now.settled
      const foundAt = this.#parts.now()
      run.turn = now.turn
      if (run.interruptedBy !== null) void now.turn.interrupt()
      const outcome = await now.turn.outcome
      if (this.#isStopping && (link?.appServer.outlivesUs ?? true)) return null
      if (outcome.status !== 'lost' && outcome.status !== 'detached') return settledByOutcome(outcome)
      attaches = this.#parts.now() - foundAt < STEADY_MS ? attaches + 1 : 0
      now = await this.find(run, now.turn.id, { link, attaches })
      if (this.#isStopping) return null
    }
  }

  /** The connection broke: the turn goes on, has ended, or died with its app-server. */
  async find(
    run: Run,
    turnId: string,
    { link, attaches }: { link: Link | null; attaches: number },
  ): Promise<Found> {
    const row = await this.#parts.log.change(({ db }) => taskRow(db, run.taskId))
    if (!row) return { settled: { turnId, status: 'interrupted', text: null, failure: null, evidence: {} } }
    if (link?.appServer.isAlive() && link.appServer.outlivesUs && attaches < MAX_ATTACHES) {
      const attached = await attach(run, row, { link, parts: this.#parts }).catch(() => null)
      const found = attached && (await this.foundIn(attached, row, turnId))
      if (found) return found
      if (this.#isStopping) return lost(turnId)
      await delay(FIND_AGAIN_MS)
      return this.find(run, turnId, { link, attaches: attaches + 1 })
    }
    const history = await lookAfterDeath(run, row, this.#parts)
    const messages = await this.#parts.log.change(({ db }) => messagesOfTurn(db, run.taskId, turnId))
    const dead = link?.appServer.isAlive() ? null : link
    return { settled: await settledAfterDeath(turnId, { history, messages }, dead) }
  }

  /** null when it ended between two looks. */
  async foundIn({ turns, active, joined }: Attached, row: StoredTask, turnId: string): Promise<Found | null> {
    if (active?.id === turnId) {
      active.discardEvents()
      await this.#limitAgain(active, row)
      return { turn: active }
    }
    const turn = turns.find(({ id }) => id === turnId)
    const settled = turn ? settledByHistory(turn) : null
    if (settled) return { settled }
    return joined?.id === turnId && joined.hasEnded ? { turn: joined } : null
  }

  /** A turn that is found again has only the rest of its time. */
  async #limitAgain(turn: Turn, row: StoredTask): Promise<void> {
    if (row.timeout_ms === null) return
    const [message] = await this.#parts.log.change(({ db }) => messagesOfTurn(db, row.id, turn.id))
    const usedMs = message ? this.#parts.now() - message.updated_at : 0
    turn.limit({ timeoutMs: Math.max(row.timeout_ms - usedMs, 0), hasOutputSchema: false })
  }

  get #isStopping(): boolean {
    return this.#parts.links.signal.aborted
  }
}
