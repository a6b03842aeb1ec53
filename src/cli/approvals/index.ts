// The commands about approvals: `approvals`, `approve`, `deny`, `answer`, `audit`.
export { addAnswerCommands } from './answer.ts'
export { addApprovalsCommand } from './approvals.ts'
export { addAuditCommand } from './audit.ts'
