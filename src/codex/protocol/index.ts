export { type Support, supportOf, TESTED_VERSIONS } from './capabilities.ts'
/** The pinned codex's own types, as its generator writes them. */
export type * as protocol from './generated/index.ts'
export type {
  ClientMethod,
  ClientParams,
  ClientResult,
  CodexNotification,
  NotificationMethod,
  NotificationParams,
  ServerMethod,
  ServerParams,
  ServerResult,
} from './methods.ts'
export { isAtLeast } from './version.ts'
