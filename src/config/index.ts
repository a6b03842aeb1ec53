// What the service can be told, from its settings file and the environment (the only place that reads either), which
// folders are trusted, and what codex's config.toml is to take over from other applications.
export {
  ALL_KNOWN_KEYS,
  type ConfigCheck,
  type ConfigProblem,
  checkConfig,
  type StrictCodex,
  type StrictComplaint,
} from './check/index.ts'
export {
  ConfigError,
  changeConfig,
  type DiffLine,
  lineDiff,
  readWhole,
  targetOf,
  tomlLiteral,
  undoConfig,
} from './codex-toml/index.ts'
export { originsRead, type PreparedImport, prepareImport } from './prepare-import.ts'
export { readSettings, readStoreSettings } from './read-settings.ts'
export {
  codexRules,
  drawbridgeRules,
  type FoundRules,
  findRules,
  rulesFile,
  type TranslatedRules,
} from './rules-import/index.ts'
export type { Settings } from './settings.ts'
export {
  APPLICATIONS,
  type FoundSource,
  findSources,
  isSourceName,
  type Machine,
  sourcePlaces,
} from './sources/index.ts'
export {
  type Allowed,
  type Ask,
  isTestFolder,
  serverSecrets,
  type Translation,
} from './translate/index.ts'
export {
  codexProjects,
  codexTrust,
  type FolderTrust,
  folderTrust,
  isForged,
  lookAtProject,
  type ProjectLayer,
  type ProjectLook,
  projectRoot,
  protectedPaths,
  settingsBelow,
  type TrustedFolder,
  TrustedFolders,
  trustedFoldersFile,
  trustOf,
} from './trust/index.ts'
