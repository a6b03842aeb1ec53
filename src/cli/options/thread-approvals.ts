// What the flags say about who answers Codex, checked.
import { parseRuleText, type Rule, type ThreadApprovals } from '../../codex/index.ts'
import { UsageError } from '../process/index.ts'
import type { RuleFlags, YesFlags } from './approval-flags.ts'
import type { StandingYes } from './standing-yes.ts'

export function standingYes({ yes, yesNetwork, yesFullAccess }: YesFlags): StandingYes | null {
  if (yes) return { network: yesNetwork === true, fullAccess: yesFullAccess === true }
  if (yesNetwork || yesFullAccess)
    throw new UsageError(`${yesNetwork ? '--yes-network' : '--yes-full-access'} adds to --yes: give both`)
  return null
}

/** What the flags say about who answers first. Throws when a rule cannot be read. */
export function threadApprovals({ approve, rule }: RuleFlags): ThreadApprovals {
  return { ...(approve && { preset: approve }), rules: rule.map(parsedRule) }
}

function parsedRule(text: string): Rule {
  const { rule, problem } = parseRuleText(text)
  if (rule === null) throw new UsageError(`--rule '${text}': ${problem}`)
  return rule
}
