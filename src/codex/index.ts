// The client library: talk to one codex app-server. Hosts, which start or reach one, are in `codex-drawbridge/hosts`.
import '../util/require-node.ts'

export { Codex, type CodexOptions, openCodex } from './client.ts'
export { MAX_INPUT_CHARACTERS, VERSION } from './defaults.ts'
export {
  DrawbridgeError,
  RequestTimeoutError,
  RpcError,
  TransportClosedError,
  UnexpectedReplyError,
} from './errors.ts'
export { type Failure, type FailureCode, type TurnError, toFailure } from './failure/index.ts'
export { hasCode, isDrawbridgeError } from './has-code.ts'
export type { AppServer, Host, PathKind } from './host.ts'
export type { Incident } from './incident.ts'
export { BadInputError, inputCharacters, type TurnInput } from './input.ts'
export { NotLoggedInError, requireLogin } from './login.ts'
export * from './messages/index.ts'
export type { PagedMethod, PageItem } from './pages.ts'
export type { ApprovalPolicy, PolicyIncident, ThreadPolicy } from './policy.ts'
export {
  type ClientMethod,
  type ClientParams,
  type ClientResult,
  type CodexNotification,
  isAtLeast,
  type NotificationMethod,
  type NotificationParams,
  type protocol,
  type ServerMethod,
  type ServerParams,
  type ServerResult,
  type Support,
  supportOf,
  TESTED_VERSIONS,
} from './protocol/index.ts'
export {
  createRedactor,
  RedactingStream,
  type Redactor,
  type RedactorOptions,
  redact,
  redactJsonLine,
  redactValue,
  registerSecrets,
} from './redaction/index.ts'
export {
  type Answer,
  type Approver,
  type ApproverContext,
  answerText,
  asyncQuestion,
  BadAnswerError,
  type Choice,
  type CommandQuestion,
  checkAnswer,
  type Decided,
  type Decision,
  type DefaultCause,
  type ElicitationQuestion,
  type FileChangeQuestion,
  grantParts,
  type HostTool,
  type HostTools,
  hostTools,
  type InputOf,
  type JsonSchema,
  type JsonSchemaValue,
  type Judging,
  judge,
  type McpToolQuestion,
  type PermissionPart,
  type PermissionsQuestion,
  permissionParts,
  type Question,
  type RefusedRequest,
  type RequestContext,
  type RequestIncident,
  ruledAnswer,
  rulesOf,
  type ServerRequestHandlers,
  type ThreadApprovals,
  type ToolContext,
  type ToolInput,
  type ToolOutput,
  type ToolSchema,
  type UserInputQuestion,
  type WithdrawnQuestion,
  type Word,
  withoutSecrets,
} from './requests/index.ts'
export {
  type Escalation,
  PROFILE_SUFFIXES,
  type Protection,
  UnsafeFolderError,
  UntrustedFolderError,
  WeakerSandboxError,
} from './rights.ts'
export {
  type Answer as RuleAnswer,
  type Asked,
  type AskedAction,
  type AskedCommand,
  type AskedFileChange,
  type AskedPermissions,
  type CommandMatch,
  type Decision as RuleDecision,
  decide,
  isPreset,
  type JudgedPart,
  type McpMatch,
  type ParsedRule,
  type PathMatch,
  PRESET_MEANINGS,
  PRESETS,
  type PresetName,
  parseRule,
  parseRuleText,
  presetNotes,
  printRule,
  type Resolve,
  type Rule,
  type RuleKind,
  type RuleOf,
  ruleReach,
  type Side as SandboxSide,
  type Surroundings as RuleSurroundings,
  sideText,
} from './rules/index.ts'
export type { ParentTurn } from './sub-agents.ts'
export { type Steered, type SteerOptions, Thread, type ThreadSettings } from './thread.ts'
export {
  isThreadGone,
  NothingToResumeError,
  ResumedOtherThreadError,
  StaleTurnError,
  ThreadArchivedError,
  ThreadBusyError,
  ThreadHasWriterError,
} from './thread-errors.ts'
export type { ThreadListener } from './thread-listener.ts'
export type { ForkOptions, ResumeOptions, ThreadOptions } from './thread-opener.ts'
export { minusTokens, NO_TOKENS, plusTokens } from './token-usage.ts'
export { Turn, type TurnOrigin } from './turn.ts'
export { newestTurns, type TurnIncident } from './turn-context.ts'
export type { OutputSchema, TurnOptions } from './turn-options.ts'
export type {
  AgentMessage,
  InterruptedBy,
  ItemState,
  StructuredOutput,
  TokenUsage,
  TurnFacts,
  TurnOutcome,
} from './turn-outcome.ts'
export type { QueuedTurn, TurnQueue } from './turn-queue.ts'
export { ExperimentalMethodError, UnsupportedError } from './unsupported.ts'
export {
  type Channel,
  type ChannelReader,
  DEFAULT_MAX_LINE_BYTES,
  LineSplitter,
  Refusal,
  type WireIncident,
} from './wire/index.ts'
