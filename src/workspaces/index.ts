// Where tasks work when that is not a folder of the user's, and what becomes of the work.
export { TaskFiles } from './files/task-files.ts'
export { type ListedWorkspace, Workspaces } from './workspaces.ts'
