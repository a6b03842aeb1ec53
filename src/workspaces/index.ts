// Where tasks work when that is not a folder of the user's, and what becomes of the work.
export { TaskFiles } from './files/task-files.ts'
export type { ListedWorkspace } from './listed-workspace.ts'
export type { SnapshotFacts, SnapshotSettings } from './snapshots/index.ts'
export { WorkspaceError } from './workspace-error.ts'
export { Workspaces } from './workspaces.ts'
