// What `always` would write down: the narrowest standing rule that allows exactly what is asked. For a command: these
// words, this folder, this side of the sandbox.
import {
  type Judging,
  judge,
  parseRuleText,
  type Question,
  type RuleDecision,
  redact,
} from '../../codex/index.ts'

/** null where no rule says it, or where the rule would not let the question through. */
export function proposeRule(
  question: Question,
  ruling: RuleDecision,
  judging: Omit<Judging, 'rules'>,
): string | null {
  const candidate = candidateFor(question, ruling)
  // A rule is shown to everyone: one with a secret in it is not proposed.
  const isShowable = candidate !== null && redact(candidate) === candidate
  return isShowable && allows(candidate, question, judging) ? candidate : null
}

/** Whether this line, as a rule, lets the question through. */
export function allows(text: string, question: Question, judging: Omit<Judging, 'rules'>): boolean {
  const parsed = parseRuleText(text)
  return parsed.rule !== null && judge(question, { ...judging, rules: [parsed.rule] }).answer === 'allow'
}

function candidateFor(question: Question, { parts, sandbox }: RuleDecision): string | null {
  if (question.kind === 'mcp-tool')
    return question.tool === null ? null : literal(`${question.server}.${question.tool}`, 'allow mcp ')
  if (question.kind === 'file-change' && question.changes.length === 1)
    return literal(question.changes[0]!.path, 'allow path ')
  const [asked, ...others] = parts.filter(({ answer }) => answer === 'ask')
  if (question.kind !== 'command' || !asked || others.length > 0) return null
  if (question.network) return literal(question.network.host, 'allow host ')
  const cwd = literal(question.cwd, 'allow cwd=')
  const side = `sandboxed=${sandbox === 'inside' ? 'yes' : 'no'}`
  return cwd && `${cwd} ${side} exact ${asked.text}`
}

/** A name that would be read as a pattern would say more than was asked. */
function literal(name: string, before: string): string | null {
  return /[*?]/.test(name) ? null : `${before}${quoted(name)}`
}

function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
