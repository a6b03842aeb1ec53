// `drawbridge task …`: tasks of the service, started, shown and acted on.
export { approvalLine } from './approval-line.ts'
export { addTaskCommand } from './command.ts'
export { findApprovalId, findNoticeId, findRuleId, findTaskId, MIN_ID_LENGTH, shortId } from './find-id.ts'
export { Questions } from './questions.ts'
export { taskNames } from './task-name.ts'
