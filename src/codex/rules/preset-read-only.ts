// What stays inside the sandbox is allowed: the sandbox decides what a command can touch, not its words. A command that
// leaves the sandbox is never allowed here: files of the workspace decide what most programs do (git by its config,
// cargo by its toolchain file), so no list of commands is harmless outside.
import { CREDENTIAL_PATHS } from './guarded-paths.ts'
import { pathRule } from './preset-rule.ts'
import type { Rule } from './rule.ts'

const preset = 'read-only'

export const READ_ONLY_RULES: readonly Rule[] = [
  pathRule(preset, 'ask', CREDENTIAL_PATHS, 'names a file that may hold secrets'),
  {
    id: `${preset}: any command inside the sandbox`,
    answer: 'allow',
    kind: 'command',
    match: { argvPrefix: [], env: ['*'], isSandboxed: true },
  },
]
