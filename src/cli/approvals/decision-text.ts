import { type Answer, type Decision, redact } from '../../codex/index.ts'
import { visibleLine } from './visible.ts'

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

/** What was done with a question of this kind, and for how long. */
export function answerVerb(answer: Answer, kind: string): string {
  switch (answer) {
    case 'once':
      // To a question of an MCP server it says yes; nothing is allowed by it.
      return kind === 'elicitation' ? 'answered' : 'allowed once'
    case 'session':
      return 'allowed for this thread'
    case 'always':
      return 'allowed for good'
    case 'deny':
      return 'declined'
    case 'cancel':
      return 'cancelled'
    default:
      return 'permissions' in answer ? 'granted in part' : 'answered'
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
