// The codex side: connections to app-servers, threads, logins, and what is heard from codex on its way into the log.

export { CodexAccount } from './account.ts'
export { modelsOf } from './codex-facts.ts'
export { DeadServers } from './dead-servers.ts'
export {
  completedIn,
  hasMessage,
  type Known,
  messageKeys,
  missedEvents,
  openQuestions,
  turnWithMessage,
} from './history.ts'
export { realPathFor } from './host-of-task.ts'
export { type Link, Links } from './links.ts'
export { Logins, type MayLackLogin, StaleLoginError } from './logins.ts'
export {
  accountOf,
  isTrustAsOpened,
  keyOf,
  type OpenedThread,
  openThread,
  reopenThread,
  storedPolicy,
  type ToolsOf,
  type TrustOf,
} from './open-thread.ts'
export { Receiver } from './receiver.ts'
export { type RolloutFile, rolloutsOf } from './rollout-files.ts'
export { TokenMeter } from './token-meter.ts'
