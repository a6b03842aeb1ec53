import { DrawbridgeError } from '../errors/index.ts'
import type { Decision as RuleDecision } from '../rules/index.ts'
import type { Approver } from './decider.ts'
import { ruledAnswer } from './judge.ts'
import type { Question } from './question.ts'

/** An approver that answers by rule where a rule applies, and else asks `approver`. */
export function rulesFirst(
  ruling: (question: Question, signal: AbortSignal) => Promise<RuleDecision | null> | null,
  approver: Approver | null,
): Approver {
  return async (question, context) => {
    const { signal } = context
    const ruled = await ruling(question, signal)
    // Withdrawn while paths were looked up.
    signal.throwIfAborted()
    const answer = ruled && ruledAnswer(question, ruled)
    if (answer) return answer
    if (!approver) throw new DrawbridgeError('nobody is there to answer', { code: 'no-approver' })
    return approver(question, { ...context, ruling: ruled })
  }
}
