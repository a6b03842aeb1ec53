// Ready-made rules by name.
import { READ_ONLY_RULES } from './preset-read-only.ts'
import { TRUSTED_RULES } from './preset-trusted.ts'
import { WORKSPACE_RULES } from './preset-workspace.ts'
import type { Rule } from './rule.ts'

export type PresetName = 'ask-all' | 'read-only' | 'workspace' | 'trusted'

export const PRESETS: Readonly<Record<PresetName, readonly Rule[]>> = {
  'ask-all': [],
  'read-only': READ_ONLY_RULES,
  workspace: WORKSPACE_RULES,
  trusted: TRUSTED_RULES,
}

export function isPreset(name: string): name is PresetName {
  return Object.hasOwn(PRESETS, name)
}
