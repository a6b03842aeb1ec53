// Permission rules as Codex's own rule files have them, or as standing rules of Drawbridge. Only where the meaning is
// exact: a rule that would let more through, or stop more, than it does there is told and not written.
import { redact } from '../../codex/index.ts'
import { secretArguments } from '../translate/index.ts'
import { canOverlap, type PermissionRule, type RuleAnswer } from './permission-rule.ts'

export interface TranslatedRules {
  /** Lines of a rules file, or standing rules; in order, each once. */
  readonly lines: readonly string[]
  readonly leftOut: readonly { readonly rule: PermissionRule; readonly why: string }[]
}

const DECISIONS: Readonly<Record<RuleAnswer, string>> = { allow: 'allow', deny: 'forbidden', ask: 'prompt' }
const HAS_SECRET = 'has a secret in it'
const ALLOWS_ALL = 'would let every command run unasked: use a preset or --approve for that'

/** For `$CODEX_HOME/rules`: prefixes of commands are all that Codex has. */
export function codexRules(rules: readonly PermissionRule[]): TranslatedRules {
  return translated(rules, (rule) => {
    if (rule.kind === 'unknown') return { why: rule.why }
    if (rule.kind === 'mcp')
      return { why: 'Codex has rules for commands only; --rules drawbridge has them for MCP tools' }
    if (rule.kind === 'exact')
      return { why: 'Codex has no rule for a command without more words; --rules drawbridge has' }
    if (rule.words.length === 0)
      return { why: rule.answer === 'allow' ? ALLOWS_ALL : 'Codex has no rule for all commands' }
    const pattern = `[${rule.words.map((word) => JSON.stringify(word)).join(', ')}]`
    const justification = JSON.stringify(`${rule.label}: ${rule.text}`.replace(/[^\x20-\x7e]/g, '?'))
    return {
      line: `prefix_rule(pattern=${pattern}, decision="${DECISIONS[rule.answer]}", justification=${justification})`,
    }
  })
}

/** For `drawbridge rules add`. */
export function drawbridgeRules(
  rules: readonly PermissionRule[],
  quote: (word: string) => string,
): TranslatedRules {
  return translated(rules, (rule) => {
    if (rule.kind === 'unknown') return { why: rule.why }
    if (rule.kind === 'mcp') return { line: `${rule.answer} mcp ${quote(`${rule.server}.${rule.tool}`)}` }
    if (rule.words.length === 0 && rule.answer === 'allow') return { why: ALLOWS_ALL }
    const noun = rule.kind === 'exact' ? 'exact' : 'command'
    return { line: [rule.answer, noun, ...rule.words.map(quote)].join(' ') }
  })
}

type LeftOut = TranslatedRules['leftOut'][number]

function translated(
  rules: readonly PermissionRule[],
  lineOf: (rule: PermissionRule) => { line: string } | { why: string },
): TranslatedRules {
  const results = rules.map((rule) => ({ rule, ...(isSecret(rule) ? { why: HAS_SECRET } : lineOf(rule)) }))
  const isLost = (result: (typeof results)[number]) => 'why' in result && result.rule.answer !== 'allow'
  const lost = results.filter(isLost).map(({ rule }) => rule)
  const lines = new Set<string>()
  const leftOut: LeftOut[] = []
  for (const result of results) {
    const why = 'why' in result ? result.why : whyNotAllowed(result.rule, lost)
    if (why !== null) leftOut.push({ rule: shown(result.rule), why })
    else if ('line' in result) lines.add(result.line)
  }
  return { lines: [...lines], leftOut }
}

/** Without the deny or ask that narrows it there, an allow would let more through here. */
function whyNotAllowed(rule: PermissionRule, lost: readonly PermissionRule[]): string | null {
  if (rule.answer !== 'allow') return null
  if (rule.isOfProject) return 'allows it in one project only, and would here in every folder'
  const narrower = lost.find((each) => canOverlap(each, rule))
  return narrower
    ? `is narrowed there by ${narrower.answer} ${shown(narrower).text}, which is left out`
    : null
}

function isSecret(rule: PermissionRule): boolean {
  const words = 'words' in rule ? rule.words : rule.text.split(/:?\*|[\s()'"]+/)
  return redact(rule.text) !== rule.text || secretArguments(words).length > 0
}

function shown(rule: PermissionRule): PermissionRule {
  return isSecret(rule) ? { ...rule, text: `${rule.text.split(/\s/, 1)[0]} …` } : rule
}

const HEADER =
  '# Written by `drawbridge config import --rules codex`, and again each time; write your own rules into another file.'

/** The whole rules file; none without rules. */
export function rulesFile(lines: readonly string[]): string | null {
  return lines.length === 0 ? null : [HEADER, ...lines, ''].join('\n')
}
