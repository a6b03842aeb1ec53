import type { Rule, RuleDecision } from '../../codex/index.ts'
import { visibleLine } from '../approvals/visible.ts'
import type { Line } from '../terminal.ts'

type Answer = RuleDecision['answer']
/** A rule as people wrote it. */
type RuleText = (rule: Rule) => string

const STYLE = { allow: 'green', ask: 'yellow', deny: 'red' } as const
const MARK: Readonly<Record<Answer, string>> = { allow: '✓ allow', ask: '? ask  ', deny: '✋ deny ' }

/** What was judged, each part with its rule and reason, and what comes of it. */
export function checkReport({ answer, why, parts }: RuleDecision, textOf: RuleText): Line[] {
  const told = parts.flatMap((part): Line[] => [
    { text: `${MARK[part.answer]}  ${visibleLine(part.text)}`, style: STYLE[part.answer] },
    { text: `         ${visibleLine(part.rule ? textOf(part.rule) : part.why)}`, style: 'dim' },
  ])
  return [...told, { text: `${answer}: ${visibleLine(why)}`, style: ['bold', STYLE[answer]] }]
}

/** The same for programs. */
export function checkValue({ answer, rule, why, parts }: RuleDecision, textOf: RuleText): object {
  const named = (of: RuleDecision['rule']) => of && { id: of.id, text: textOf(of) }
  return { answer, rule: named(rule), why, parts: parts.map((part) => ({ ...part, rule: named(part.rule) })) }
}
