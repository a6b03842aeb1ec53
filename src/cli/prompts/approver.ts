import type { Approver, Question } from '../../codex/index.ts'
import { notCovered, type StandingYes } from '../options/index.ts'
import type { Person } from './person.ts'

export interface ApproverOptions {
  /** null: nobody is there. */
  readonly person: Pick<Person, 'ask'> | null
  /** null: `--yes` was not given. */
  readonly yes: StandingYes | null
}

/**
 * Who answers what the rules leave open: `--yes`, for what it covers; the person. Where a rule says to ask, the person
 * comes before `--yes`. Nobody left means no.
 */
export function makeApprover({ person, yes }: ApproverOptions): Approver {
  return async (question, { signal, ruling }) => {
    const asksAPerson = person !== null && ruling?.rule != null
    if (yes && !asksAPerson && notCovered(question, yes) === null)
      return { answer: 'once', by: 'rule', rule: '--yes' }
    if (person) return { answer: await person.ask(question, { signal }), by: 'person' }
    return { answer: 'deny', by: 'default', why: whyNot(question, yes) }
  }
}

function whyNot(question: Question, yes: StandingYes | null): string {
  return (yes && notCovered(question, yes)) ?? 'nobody is there to answer'
}
