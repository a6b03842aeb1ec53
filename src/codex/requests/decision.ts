import { hasCode } from '../errors/index.ts'
import type { Answer, Question } from './question.ts'

/** An answer with where it came from. A bare answer counts as a person's. */
export interface Decided {
  readonly answer: Answer
  readonly by: 'rule' | 'person' | 'default'
  /** The id of the rule, when one decided. */
  readonly rule?: string
  readonly why?: string
}

/** What was decided, for the record. Values given to secret questions are not in it. */
export interface Decision {
  readonly question: Question
  readonly answer: Answer
  readonly by: Decided['by']
  readonly rule: string | null
  readonly why: string | null
  readonly at: Date
  /** Why nobody's answer counted, so that it was no by default; null when somebody's did. */
  readonly cause: DefaultCause | null
}

export type DefaultCause = 'no-approver' | 'timed-out' | 'failed' | 'bad-answer' | 'withdrawn'

export function decision(question: Question, given: Answer | Decided): Decision {
  const decided: Decided =
    typeof given === 'object' && 'by' in given ? given : { answer: given, by: 'person' }
  const { answer, by, rule = null, why = null } = decided
  return { question, answer, by, rule, why, at: new Date(), cause: null }
}

/** The decision when asking came to nothing. */
export function defaulted(
  question: Question,
  error: unknown,
  { isWithdrawn }: { isWithdrawn: boolean },
): Decision {
  const cause = isWithdrawn ? 'withdrawn' : causeOf(error)
  const why = error instanceof Error ? error.message : String(error)
  return { question, answer: 'deny', by: 'default', rule: null, why, at: new Date(), cause }
}

function causeOf(error: unknown): DefaultCause {
  if (hasCode(error, 'bad-answer', 'no-approver')) return error.code
  return hasCode(error, 'approval-timed-out') ? 'timed-out' : 'failed'
}

/** The decision as it may be kept and shown. */
export function keptDecision(made: Decision): Decision {
  return { ...made, answer: withoutSecrets(made.question, made.answer) }
}

/** The answer without the values of secret questions. */
export function withoutSecrets(question: Question, answer: Answer): Answer {
  if (question.kind !== 'user-input' || typeof answer !== 'object') return answer
  const secret = new Set(question.questions.filter(({ isSecret }) => isSecret).map(({ id }) => id))
  if (secret.size === 0) return answer
  // codex's own reply may have them anywhere.
  if (!('answers' in answer)) return { result: '(secret)' }
  const kept = Object.entries(answer.answers).map(([id, given]) => [
    id,
    secret.has(id) ? ['(secret)'] : given,
  ])
  return { answers: Object.fromEntries(kept) }
}
