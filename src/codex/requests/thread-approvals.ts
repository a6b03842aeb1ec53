import { PRESETS, type PresetName, type Rule } from '../rules/index.ts'

/** Who answers for a thread, and for its sub-agents, before anybody is asked. Plain data; codex never hears of it. */
export interface ThreadApprovals {
  readonly preset?: PresetName
  readonly rules?: readonly Rule[]
  /** For rules that hold only for some labels. */
  readonly labels?: readonly string[]
}

/** Its own rules and those of its preset. Their order does not matter: deny beats ask, ask beats allow. */
export function rulesOf({ preset = 'ask-all', rules = [] }: ThreadApprovals): readonly Rule[] {
  return [...rules, ...PRESETS[preset]]
}
