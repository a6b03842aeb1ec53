// What the service can be told, from its settings file and the environment (the only place that reads either), and which
// folders are trusted.
export { readSettings, readStoreSettings } from './read-settings.ts'
export type { Settings } from './settings.ts'
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
  type TrustedFolder,
  TrustedFolders,
  trustedFoldersFile,
  trustOf,
} from './trust/index.ts'
