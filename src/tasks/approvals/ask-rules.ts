import {
  type Decided,
  type Judging,
  judge,
  type Question,
  type RuleDecision,
  ruledAnswer,
} from '../../codex/index.ts'
import { proposeRule } from './proposed-rule.ts'

/** What the rules say of a question. */
export interface Ruled {
  readonly ruling: RuleDecision
  /** null: a person is asked. */
  readonly answer: Decided | null
  /** The rule that would allow it from then on, where a person is asked and there is one. */
  readonly proposed: string | null
}

export function askRules(question: Question, judging: Judging): Ruled {
  const ruling = judge(question, judging)
  const answer = ruledAnswer(question, ruling)
  // A standing rule is for tasks on this machine.
  const isOpen = answer === null && question.host === undefined
  return { ruling, answer, proposed: isOpen ? proposeRule(question, ruling, judging) : null }
}
