// The rules' word on a question.
import { decide, type Resolve, type Rule, type Decision as RuleDecision } from '../rules/index.ts'
import { askedQuestion } from './asked-question.ts'
import type { Decided } from './decision.ts'
import type { Question } from './question.ts'

export interface Judging {
  readonly rules: readonly Rule[]
  /** Absolute folders the thread works in. */
  readonly workspaceRoots: readonly string[]
  readonly labels?: readonly string[]
  /** Milliseconds since 1970. */
  readonly now: number
  /** `() => null` where codex's files cannot be looked at: no rule about paths allows anything then. */
  readonly resolve: Resolve
}

export function judge(
  question: Question,
  { rules, workspaceRoots, labels = [], now, resolve }: Judging,
): RuleDecision {
  return decide(rules, askedQuestion(question, { workspaceRoots, labels }), { now, resolve })
}

/** The answer a ruling gives; null when somebody is to be asked. Rules allow once: what lasts is for people to say. */
export function ruledAnswer(
  question: Question,
  { answer, rule, why }: Pick<RuleDecision, 'answer' | 'rule' | 'why'>,
): Decided | null {
  const decided = { by: 'rule' as const, ...(rule && { rule: rule.id }), why }
  if (answer === 'deny') return { answer, ...decided }
  const isOffered = question.choices.some(({ word }) => word === 'once')
  return answer === 'allow' && isOffered ? { answer: 'once', ...decided } : null
}
