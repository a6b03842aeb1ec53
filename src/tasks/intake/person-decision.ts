// What a person answers: a word, a rule that stands from then on, or a no with another try.
import { type RealPath, redact } from '../../codex/index.ts'
import { changeRules, insertRule, type Work } from '../../store/index.ts'
import type { Approvals, RuleBook, Verdict } from '../approvals/index.ts'
import type { TrustOf } from '../link/index.ts'
import { type Approval, type Decide, TaskError } from '../model/index.ts'
import type { Messages } from './messages.ts'
import { retryChange } from './retry.ts'

export interface PersonDecisionParts {
  readonly approvals: Pick<Approvals, 'decide'>
  readonly messages: Pick<Messages, 'queue'>
  readonly rules: Pick<RuleBook, 'ruleFor'>
  readonly approval: (approvalId: string) => Promise<Approval>
  /** How the paths of its task are resolved. */
  readonly realPathOf: (approval: Approval) => Promise<RealPath>
  readonly trustOf: TrustOf
  readonly wake: (taskId: string) => void
}

/** First answer wins. */
export async function decideByPerson(
  approvalId: string,
  decide: Decide & { readonly actor: string },
  parts: PersonDecisionParts,
): Promise<Approval> {
  const { answer, why, rule, actor } = decide
  const said = why === undefined ? null : redact(why)
  const verdict: Verdict = { answer, by: 'person', actor, rule: null, why: said }
  if (decide.retry) return decideAndRetry(approvalId, { verdict, decide }, parts)
  if (answer !== 'always') return parts.approvals.decide(approvalId, verdict)
  const approval = await parts.approval(approvalId)
  const text = rule ?? approval.proposedRule
  if (text === null) throw new TaskError('bad-answer', 'no rule can say this: answer once or session')
  const standing = await parts.rules.ruleFor(approval, {
    text,
    actor,
    realPath: await parts.realPathOf(approval),
  })
  const insert: Work<void> = async ({ db }) => {
    await changeRules(db)
    await insertRule(db, standing)
  }
  return parts.approvals.decide(approvalId, { ...verdict, rule: standing.id }, insert)
}

async function decideAndRetry(
  approvalId: string,
  { verdict, decide }: { verdict: Verdict; decide: Decide & { readonly actor: string } },
  { approval, approvals, messages, trustOf, wake }: PersonDecisionParts,
): Promise<Approval> {
  const asked = await approval(approvalId)
  const change = retryChange(asked, decide, { messages, actor: decide.actor, trustOf })
  const decided = await approvals.decide(approvalId, verdict, change)
  wake(asked.taskId)
  return decided
}
