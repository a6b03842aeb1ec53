// The folders that were made for tasks.
export { addWorkspaceCommand } from './command.ts'
export { type RemovingFlags, removing } from './removing.ts'
