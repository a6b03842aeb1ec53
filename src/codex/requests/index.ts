export type { Decided, Decision } from './decision.ts'
export { BadAnswerError } from './family.ts'
export {
  type HostTool,
  type HostTools,
  hostTools,
  type ToolContext,
  type ToolOutput,
  type ToolSchema,
} from './host-tools.ts'
export type {
  Answer,
  Choice,
  CommandQuestion,
  ElicitationQuestion,
  FileChangeQuestion,
  McpToolQuestion,
  PermissionsQuestion,
  Question,
  UserInputQuestion,
  Word,
} from './question.ts'
export {
  type Approver,
  type RefusedRequest,
  type RequestContext,
  type ServerRequestHandlers,
  ServerRequests,
} from './server-requests.ts'
