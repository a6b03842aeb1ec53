// Where tasks work when that is not a folder of the user's, and what becomes of the work.
export type { FolderListing } from './files/list-folder.ts'
export type { OpenedFile } from './files/opened-file.ts'
export { TaskFiles } from './files/task-files.ts'
export { type ListedWorkspace, Workspaces } from './workspaces.ts'
