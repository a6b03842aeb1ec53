// Where tasks work when that is not a folder of the user's, and what becomes of the work.
export { type ListedWorkspace, Workspaces } from './workspaces.ts'
