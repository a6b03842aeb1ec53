// What is shown beside the transcript: tokens by turn, the diff by turn.
import type { EventEnvelope } from '../api/contract.ts'
import { asParams, numberOf, type Params, textOf } from './params.ts'

export interface TurnTokens {
  readonly turnId: string
  readonly at: number
  readonly input: number
  readonly cached: number
  readonly output: number
}

export class Facts {
  readonly tokens = new Map<string, TurnTokens>()
  readonly diffs = new Map<string, string>()
  contextWindow: number | null = null
  /** Of the last call of the model: how full the context is. */
  contextTokens: number | null = null

  apply({ at, event }: EventEnvelope): void {
    const params = asParams(event.params)
    const turnId = textOf(params.turnId)
    if (turnId === null) return
    if (event.method === 'thread/tokenUsage/updated') this.#count(turnId, at, asParams(params.tokenUsage))
    if (event.method === 'turn/diff/updated') this.diffs.set(turnId, textOf(params.diff) ?? '')
  }

  #count(turnId: string, at: number, usage: Params): void {
    const last = asParams(usage.last)
    const before = this.tokens.get(turnId)
    const sum = (field: string, had: number | undefined) => (had ?? 0) + (numberOf(last[field]) ?? 0)
    this.tokens.set(turnId, {
      turnId,
      at,
      input: sum('inputTokens', before?.input),
      cached: sum('cachedInputTokens', before?.cached),
      output: sum('outputTokens', before?.output),
    })
    this.contextWindow = numberOf(usage.modelContextWindow) ?? this.contextWindow
    this.contextTokens = numberOf(last.totalTokens) ?? this.contextTokens
  }
}
