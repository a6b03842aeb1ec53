// The rules' word on a question.
import { decide, type KnownPaths, type Rule, type Decision as RuleDecision } from '../rules/index.ts'
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
  /** Looked up beforehand. Where one that is needed was not, no rule allows anything. */
  readonly paths: Pick<KnownPaths, 'resolve' | 'missing' | 'hasGaps'>
}

export function judge(
  question: Question,
  { rules, workspaceRoots, labels = [], now, paths }: Judging,
): RuleDecision {
  const asked = askedQuestion(question, { workspaceRoots, labels })
  const decision = decide(rules, asked, { now, resolve: paths.resolve })
  // A rule that denies the real path may not have matched.
  if (decision.answer !== 'allow' || !paths.hasGaps) return decision
  return { ...decision, answer: 'ask', rule: null, why: `${paths.missing[0]} could not be looked up in time` }
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
