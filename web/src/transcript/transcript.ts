// Events folded into rows. Pure: the same events, in the same order, give the same rows.
import type { EventEnvelope } from '../api/contract.ts'
import { Facts } from './facts.ts'
import type { Fold } from './fold.ts'
import { FOLDS } from './folds.ts'
import { asParams, type Params, textOf } from './params.ts'
import type { AgentRow, Row } from './row.ts'
import { RowList } from './row-list.ts'
import { isSilent } from './silent.ts'

export class Transcript {
  readonly facts = new Facts()
  readonly #main = new RowList()
  readonly #agents = new Map<string, RowList>()
  readonly #names = new Map<string, string>()
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
    if (!isOfAgent) {
      fold(this.#main, context)
      return this.#learnNames(asParams(params.item))
    }
    const agent = this.#agentRow(threadId, envelope)
    fold(this.#agents.get(threadId)!, context)
    this.#main.touch(agent)
  }

  /** What the task calls its sub-agents: codex says it where it starts them. */
  #learnNames({ type, agentThreadId, agentPath, receiverThreadIds, prompt }: Params): void {
    if (type === 'subAgentActivity') this.#name(textOf(agentThreadId), textOf(agentPath))
    if (type !== 'collabAgentToolCall' || !Array.isArray(receiverThreadIds)) return
    if (receiverThreadIds.length === 1) this.#name(textOf(receiverThreadIds[0]), textOf(prompt))
  }

  #name(threadId: string | null, name: string | null): void {
    if (threadId === null || name === null || this.#names.has(threadId)) return
    this.#names.set(threadId, name)
    const row = this.#main.get(`agent:${threadId}`)
    if (row?.kind === 'agent') this.#main.put({ ...row, name })
  }

  #agentRow(threadId: string, { seq, at }: EventEnvelope): AgentRow {
    const key = `agent:${threadId}`
    const known = this.#main.get(key)
    if (known?.kind === 'agent') return known
    const list = new RowList()
    this.#agents.set(threadId, list)
    const name = this.#names.get(threadId) ?? null
    const row: AgentRow = {
      kind: 'agent',
      key,
      seq,
      at,
      turnId: null,
      threadId,
      name,
      rows: list.rows,
      version: 0,
    }
    this.#main.put(row)
    return row
  }
}

/** What nobody has taught the console yet is shown as it came. */
function rawFold(method: string): Fold {
  return (list, { params, ...at }) => list.put({ kind: 'raw', key: `raw:${at.seq}`, method, params, ...at })
}
