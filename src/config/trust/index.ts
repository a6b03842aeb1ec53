// Whether a folder is trusted, what trust would start there, and what an untrusted one cannot reach. Reads what others
// wrote, writes only our own record; telling codex is left to the rooms that talk to it.
export { codexProjects, codexTrust, isForged } from './codex-trust.ts'
export { type FolderTrust, folderTrust, trustOf } from './folder-trust.ts'
export { lookAtProject, type ProjectLayer, type ProjectLook } from './project-contents.ts'
export { projectRoot } from './project-root.ts'
export { DEFAULT_PROTECTED_PATHS, problemWithProtectedPath, protectedPaths } from './protected-paths.ts'
export { settingsBelow } from './toml-text.ts'
export { type TrustedFolder, TrustedFolders, trustedFoldersFile } from './trusted-folders.ts'
