// Events folded into rows. Pure: the same events, in the same order, give the same rows.
import type { EventEnvelope } from '../api/contract.ts'
import { Facts } from './facts.ts'
import { FOLDS, type Fold, isSilent } from './folds.ts'
import { asParams, textOf } from './params.ts'
import type { AgentRow, Row } from './row.ts'
import { RowList } from './row-list.ts'

export class Transcript {
  readonly facts = new Facts()
  readonly #main = new RowList()
  readonly #agents = new Map<string, RowList>()
  #threadId: string | null

  /** `threadId`: the task's own; without it the first thread that is heard of. */
  constructor(threadId: string | null) {
    this.#threadId = threadId
  }

  get rows(): readonly Row[] {
    return this.#main.rows
  }

  apply(envelope: EventEnvelope): void {
    const { seq, at, event } = envelope
    const params = asParams(event.params)
    const threadId = textOf(params.threadId)
    this.#threadId ??= threadId
    const isOfAgent = threadId !== null && threadId !== this.#threadId
    if (!isOfAgent) this.facts.apply(envelope)
    const fold = FOLDS[event.method] ?? (isSilent(event.method) ? null : rawFold(event.method))
    if (fold === null) return
    const turnId = textOf(params.turnId) ?? textOf(asParams(params.turn).id)
    const context = { seq, at, turnId, params }
    if (!isOfAgent) return fold(this.#main, context)
    const agent = this.#agentRow(threadId, envelope)
    fold(this.#agents.get(threadId)!, context)
    this.#main.touch(agent)
  }

  #agentRow(threadId: string, { seq, at }: EventEnvelope): AgentRow {
    const key = `agent:${threadId}`
    const known = this.#main.get(key)
    if (known?.kind === 'agent') return known
    const list = new RowList()
    this.#agents.set(threadId, list)
    const row: AgentRow = { kind: 'agent', key, seq, at, turnId: null, threadId, rows: list.rows, version: 0 }
    this.#main.put(row)
    return row
  }
}

/** What nobody has taught the console yet is shown as it came. */
function rawFold(method: string): Fold {
  return (list, { params, ...at }) => list.put({ kind: 'raw', key: `raw:${at.seq}`, method, params, ...at })
}
