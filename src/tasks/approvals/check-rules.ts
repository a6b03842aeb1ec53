import { parseRuleText, redact } from '../../codex/index.ts'
import { TaskError } from '../model/index.ts'

/** Throws for a rule that cannot be read, or would show a secret. */
export function checkRules(rules: readonly string[]): void {
  for (const text of rules) {
    const { problem } = parseRuleText(text)
    const shown = redact(text)
    if (problem !== null) throw new TaskError('bad-request', `the rule "${shown}" cannot be read: ${problem}`)
    // Rules are shown to everyone, and one without its secret would be another rule.
    if (shown !== text)
      throw new TaskError('bad-request', `the rule "${shown}" holds a secret: put * in its place`)
  }
}
