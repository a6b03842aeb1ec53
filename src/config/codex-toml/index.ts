// Codex's config.toml: the block that Drawbridge writes into it, and how it is written.
export { type AppliedImport, applyImport, type ImportChange, ownServers, withoutBom } from './apply-import.ts'
export { type BlockContents, NOTHING, type ServerTable } from './block-contents.ts'
export { type Changed, changeConfig, type FileChanges, type Undone, undoConfig } from './change-config.ts'
export { ConfigError } from './config-error.ts'
export { readWhole, targetOf } from './config-file.ts'
export { type DiffLine, lineDiff } from './line-diff.ts'
export { tomlLiteral } from './toml-literal.ts'
export { readToml } from './toml-text.ts'
