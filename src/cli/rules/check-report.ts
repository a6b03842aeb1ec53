import { type Rule, type RuleDecision, sideText } from '../../codex/index.ts'
import { type Line, visibleLine } from '../screen/index.ts'

type Answer = RuleDecision['answer']
/** A rule as people wrote it. */
type RuleText = (rule: Rule) => string

const STYLE = { allow: 'green', ask: 'yellow', deny: 'red' } as const
const MARK: Readonly<Record<Answer, string>> = { allow: '✓ allow', ask: '? ask  ', deny: '✋ deny ' }

export interface Checked {
  readonly decision: RuleDecision
  /** What to know about the preset. */
  readonly notes: readonly string[]
}

/** What was judged, each part with its rule and reason, and what comes of it. */
export function checkReport({ decision, notes }: Checked, textOf: RuleText): Line[] {
  const { answer, why, parts, sandbox } = decision
  const told = parts.flatMap((part): Line[] => [
    { text: `${MARK[part.answer]}  ${visibleLine(part.text)}`, style: STYLE[part.answer] },
    { text: `         ${visibleLine(part.rule ? textOf(part.rule) : part.why)}`, style: 'dim' },
  ])
  const side = sandbox ? `, ${sideText(sandbox)}` : ''
  return [
    ...told,
    { text: `${answer}${side}: ${visibleLine(why)}`, style: ['bold', STYLE[answer]] },
    ...notes.map((note): Line => ({ text: visibleLine(note), style: 'yellow' })),
  ]
}

/** The same for programs. */
export function checkValue({ decision, notes }: Checked, textOf: RuleText): object {
  const { answer, rule, why, parts, sandbox } = decision
  const named = (of: RuleDecision['rule']) => of && { id: of.id, text: textOf(of) }
  const judged = parts.map((part) => ({ ...part, rule: named(part.rule) }))
  return { answer, sandbox, rule: named(rule), why, notes, parts: judged }
}
