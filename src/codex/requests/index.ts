export { answerText, asyncQuestion } from './async-question.ts'
export { AsyncQuestions } from './async-questions.ts'
export { checkAnswer } from './check-answer.ts'
export { type Approver, type ApproverContext, Decider } from './decider.ts'
export { type Decided, type Decision, type DefaultCause, withoutSecrets } from './decision.ts'
export { BadAnswerError } from './family.ts'
export { type Judging, judge, ruledAnswer } from './judge.ts'
export { grantParts, type PermissionPart, permissionParts } from './permission-parts.ts'
export type {
  Answer,
  Choice,
  CommandQuestion,
  ElicitationQuestion,
  FileChangeQuestion,
  McpToolQuestion,
  ParentTurn,
  PermissionsQuestion,
  Question,
  UserInputQuestion,
  Word,
} from './question.ts'
export {
  type RefusedRequest,
  type RequestIncident,
  type WithdrawnQuestion,
  withdrawn,
} from './request-incident.ts'
export { rulesFirst } from './rules-first.ts'
export { type RequestContext, type ServerRequestHandlers, ServerRequests } from './server-requests.ts'
export { rulesOf, type ThreadApprovals } from './thread-approvals.ts'
