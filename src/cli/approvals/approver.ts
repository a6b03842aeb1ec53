import type { Approver, Decided, Question, RuleDecision } from '../../codex/index.ts'
import type { Person } from './person.ts'
import { notCovered, type StandingYes } from './standing-yes.ts'

export interface ApproverOptions {
  readonly rules: (question: Question) => Pick<RuleDecision, 'answer' | 'rule' | 'why'>
  /** null: nobody is there. */
  readonly person: Pick<Person, 'ask'> | null
  /** null: `--yes` was not given. */
  readonly yes: StandingYes | null
}

/**
 * Who answers: the rules; `--yes`, for what it covers; the person. Where a rule says to ask, the person comes before
 * `--yes`. Nobody left means no.
 */
export function makeApprover({ rules, person, yes }: ApproverOptions): Approver {
  return async (question, { signal }) => {
    const ruling = rules(question)
    const ruled = byRule(question, ruling)
    if (ruled) return ruled
    const asksAPerson = person !== null && ruling.rule !== null
    if (yes && !asksAPerson && notCovered(question, yes) === null)
      return { answer: 'once', by: 'rule', rule: '--yes' }
    if (person) return { answer: await person.ask(question, { signal }), by: 'person' }
    return { answer: 'deny', by: 'default', why: whyNot(question, yes) }
  }
}

/** Rules allow once: what lasts longer is for people to say. */
function byRule(
  question: Question,
  { answer, rule, why }: Pick<RuleDecision, 'answer' | 'rule' | 'why'>,
): Decided | null {
  const decided = { by: 'rule' as const, ...(rule && { rule: rule.id }), why }
  if (answer === 'deny') return { answer, ...decided }
  const isOffered = question.choices.some(({ word }) => word === 'once')
  return answer === 'allow' && isOffered ? { answer: 'once', ...decided } : null
}

function whyNot(question: Question, yes: StandingYes | null): string {
  return (yes && notCovered(question, yes)) ?? 'nobody is there to answer'
}
