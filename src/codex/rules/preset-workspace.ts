// What `read-only` allows, and patches of files in the workspace.
import { HOME_PATHS, PROJECT_PATHS, START_UP_PATHS } from './guarded-paths.ts'
import { READ_ONLY_RULES } from './preset-read-only.ts'
import { pathRule } from './preset-rule.ts'
import type { Rule } from './rule.ts'

const preset = 'workspace'

function guard(paths: readonly string[], note: string): Rule {
  return { ...pathRule(preset, 'ask', paths, note), match: { paths, isWriting: true } }
}

export const WORKSPACE_RULES: readonly Rule[] = [
  ...READ_ONLY_RULES,
  guard(PROJECT_PATHS, 'writes a file that makes other programs run commands'),
  guard(START_UP_PATHS, 'writes a file that is read when a shell or a program starts'),
  guard(HOME_PATHS, 'the workspace is a home folder, and this is a hidden file or a program of it'),
  pathRule(preset, 'allow', ['@workspace/**']),
]
