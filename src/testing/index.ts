// Tests against the real codex without an account: a scripted model, throw-away folders, and a fake app-server for
// the faults the real one cannot be made to show.
import '../util/require-node.ts'

export { type CodexHomeOptions, type ConfigValue, codexConfig, makeCodexHome } from './codex-home.ts'
export * from './fake-app-server/index.ts'
export type { ScratchFolder } from './scratch-folder.ts'
export * from './scripted-model/index.ts'
export { makeWorkspace, type WorkspaceOptions } from './workspace.ts'
