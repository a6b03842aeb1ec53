// Ready-made rules by name.
import { Places, type Resolve } from './places.ts'
import { PRESET_MEANINGS, type PresetName } from './preset-meanings.ts'
import { READ_ONLY_RULES } from './preset-read-only.ts'
import { TRUSTED_RULES } from './preset-trusted.ts'
import { WORKSPACE_RULES } from './preset-workspace.ts'
import type { Rule } from './rule.ts'

export const PRESETS: Readonly<Record<PresetName, readonly Rule[]>> = {
  'ask-all': [],
  'read-only': READ_ONLY_RULES,
  workspace: WORKSPACE_RULES,
  trusted: TRUSTED_RULES,
}

/** What a person should know who uses this preset there: what `trusted` gives away, that a workspace is a home folder. */
export function presetNotes(
  preset: PresetName,
  { workspaceRoots, resolve }: { workspaceRoots: readonly string[]; resolve: Resolve },
): readonly string[] {
  if (preset === 'trusted') return [`trusted allows ${PRESET_MEANINGS.trusted}.`]
  const { homes } = new Places(workspaceRoots, resolve)
  if (preset !== 'workspace' || homes.length === 0) return []
  return [
    `The workspace is a home folder (${homes[0]}): changes to its hidden files and programs are always asked.`,
  ]
}

export function isPreset(name: string): name is PresetName {
  return Object.hasOwn(PRESETS, name)
}
