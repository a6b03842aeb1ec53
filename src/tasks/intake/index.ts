// What people do: start, send, interrupt, resume, change, delete, decide. Checked, then stored.
export { checkTargets, type TargetParts } from './check-targets.ts'
export { Messages } from './messages.ts'
export { newTask } from './new-task.ts'
export { decideByPerson } from './person-decision.ts'
export { putAnswer } from './put-answer.ts'
export { startRestored } from './start-restored.ts'
export { TaskActions } from './task-actions.ts'
export { addUploads, removeUpload } from './uploads.ts'
