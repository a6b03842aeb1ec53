// The client library: talk to one codex app-server. Hosts, which start or reach one, are in `codex-drawbridge/hosts`.
export {
  Codex,
  type CodexOptions,
  ExperimentalMethodError,
  type Incident,
  openCodex,
  ResumedOtherThreadError,
} from './client.ts'
export { VERSION } from './defaults.ts'
export {
  DrawbridgeError,
  RequestTimeoutError,
  RpcError,
  TransportClosedError,
  UnexpectedReplyError,
} from './errors.ts'
export type { FailureCode, TurnFailure } from './failure.ts'
export type { AppServer, Host } from './host.ts'
export type { TurnInput } from './input.ts'
export type {
  ClientMethod,
  ClientParams,
  ClientResult,
  CodexNotification,
  NotificationMethod,
  NotificationParams,
  protocol,
  ServerMethod,
  ServerParams,
  ServerResult,
} from './protocol/index.ts'
export type { RefusedRequest, ServerRequestHandlers } from './requests/index.ts'
export {
  type ResumeOptions,
  Thread,
  ThreadBusyError,
  type ThreadOptions,
  type ThreadSettings,
  type TurnOptions,
} from './thread.ts'
export { Turn } from './turn.ts'
export type { InterruptedBy, TokenUsage, TurnFacts, TurnOutcome } from './turn-outcome.ts'
export {
  type Channel,
  type ChannelReader,
  DEFAULT_MAX_LINE_BYTES,
  LineSplitter,
  Refusal,
  type WireIncident,
} from './wire/index.ts'
