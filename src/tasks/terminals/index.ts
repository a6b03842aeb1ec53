// Codex's own terminal on a task, and tasks that begin in one.
export { type OpenTaskParts, openTask } from './open-task.ts'
export { Terminals } from './terminals.ts'
