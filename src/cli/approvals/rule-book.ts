import {
  type Asked,
  decide,
  PRESETS,
  parseRuleText,
  type Rule,
  type RuleDecision,
} from '../../codex/index.ts'
import { UsageError } from '../usage-error.ts'
import type { RuleFlags } from './flags.ts'
import { realPath } from './real-path.ts'

/** The rules that the command line names. Their order does not matter: deny beats ask, ask beats allow. */
export class RuleBook {
  readonly #rules: readonly Rule[]

  constructor({ approve = 'ask-all', rule: texts }: RuleFlags) {
    this.#rules = [...texts.map(parsed), ...PRESETS[approve]]
  }

  decide(asked: Asked): RuleDecision {
    return decide(this.#rules, asked, { now: Date.now(), resolve: realPath })
  }
}

function parsed(text: string): Rule {
  const { rule, problem } = parseRuleText(text)
  if (rule === null) throw new UsageError(`--rule '${text}': ${problem}`)
  return rule
}
