import { type Answer, type Decision, redact } from '../../codex/index.ts'
import { visibleLine } from '../screen/index.ts'

const MAX_LENGTH = 300

export function isDenied(answer: Answer): boolean {
  return answer === 'deny' || answer === 'cancel'
}

/** A decision on one line. Answers themselves are not in it: some are nobody else's business. */
export function decisionText(decision: Decision): string {
  const { question, answer } = decision
  const because = question.reason ? ` (${question.reason})` : ''
  const what = redact(visibleLine(`${question.title}${because}`))
  const mark = isDenied(answer) ? '✋' : '✓'
  return `${mark} ${answerVerb(answer, question.kind)}: ${cut(what)} · ${byWhom(decision)}`
}

/** To a question of an MCP server it says yes; nothing is allowed by it. */
const ONCE: Readonly<Record<string, string>> = {
  elicitation: 'answered',
  permissions: 'allowed for this turn',
}

/** What was done with a question of this kind, and for how long. */
export function answerVerb(answer: Answer, kind: string): string {
  switch (answer) {
    case 'once':
      return ONCE[kind] ?? 'allowed once'
    case 'session':
      return 'allowed for this task'
    case 'always':
      return 'allowed for good'
    case 'deny':
      return 'declined'
    case 'cancel':
      return 'cancelled'
    default:
      if (!('permissions' in answer)) return 'answered'
      return answer.scope === 'session' ? 'granted for this task' : 'granted for this turn'
  }
}

function byWhom({ by, rule, why }: Decision): string {
  if (by === 'person') return 'by you'
  // Why a rule decided names the rule.
  return visibleLine(why ?? `by ${rule}`)
}

function cut(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text
}
