import { DrawbridgeError, hasCode } from '../errors/index.ts'
import type { DecisionUnheard } from './decider.ts'
import type { Question } from './question.ts'

/** A request that got a refusal because nobody handles it, or because its handler failed. */
export interface RefusedRequest {
  readonly type: 'request-refused'
  readonly method: string
  readonly params: unknown
  readonly error: unknown
}

/** A question that was gone before anybody had answered it. Nobody said no. */
export interface WithdrawnQuestion {
  readonly type: 'question-withdrawn'
  readonly method: string
  readonly params: unknown
  /** null when a handler was to answer. */
  readonly question: Question | null
  /** Why it no longer stands: `request-withdrawn`, `answered-elsewhere`, or `transport-closed`. */
  readonly reason: unknown
}

/** The answer to a question that codex does not wait for could not be sent. */
interface AnswerUnsent {
  readonly type: 'answer-unsent'
  readonly question: Question
  readonly error: unknown
}

export type RequestIncident = RefusedRequest | WithdrawnQuestion | AnswerUnsent | DecisionUnheard

export function withdrawn(why: string): DrawbridgeError {
  return new DrawbridgeError(why, { code: 'request-withdrawn' })
}

/** Codex has an answer, and it was not ours: it tells neither who gave it nor what it was. */
export function answeredElsewhere(): DrawbridgeError {
  return new DrawbridgeError('another client of codex answered it', { code: 'answered-elsewhere' })
}

/** There was nobody to ask. */
export function isNobody(error: unknown): boolean {
  return hasCode(error, 'no-approver')
}
