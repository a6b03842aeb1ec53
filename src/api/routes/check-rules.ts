// What the rules would say to a command: the standing ones, a preset, and any that are only being tried.
import {
  decide,
  PRESETS,
  parseRuleText,
  presetNotes,
  printRule,
  type Resolve,
  type Rule,
  type RuleDecision,
} from '../../codex/index.ts'
import type { StandingRule } from '../../tasks/index.ts'
import type { CheckedRules, CheckRules } from '../contract.ts'
import { DoorError } from '../door-error.ts'

export function checkRules(
  { command, cwd, preset = 'ask-all', rules = [], labels = [], sandboxed = false }: CheckRules,
  { standing, now, resolve }: { standing: readonly StandingRule[]; now: number; resolve: Resolve },
): CheckedRules {
  const known = [...standing.flatMap(ofStanding), ...rules.map(ofText), ...PRESETS[preset]]
  const asked = {
    kind: 'command',
    command,
    cwd,
    isEscalated: !sandboxed,
    threadId: '',
    labels,
    workspaceRoots: [cwd],
  } as const
  const notes = presetNotes(preset, { workspaceRoots: [cwd], resolve })
  return { ...shown(decide(known, asked, { now, resolve })), notes: [...notes] }
}

function ofStanding({ id, text, expiresAt, revokedAt }: StandingRule): Rule[] {
  const { rule } = parseRuleText(text)
  if (rule === null || revokedAt !== null) return []
  return [{ ...rule, id, title: `"${text}"`, ...(expiresAt !== null && { expiresAt }) }]
}

function ofText(text: string): Rule {
  const { rule, problem } = parseRuleText(text)
  if (rule === null) throw new DoorError('bad-request', `rule \`${text}\`: ${problem}`)
  return rule
}

function shown({ answer, rule, why, parts, sandbox }: RuleDecision): Omit<CheckedRules, 'notes'> {
  const named = (of: Rule | null) => of && { id: of.id, text: printRule(of) }
  return {
    answer,
    rule: named(rule),
    why,
    sandbox: sandbox ?? 'outside',
    parts: parts.map((part) => ({ ...part, rule: named(part.rule) })),
  }
}
