export { experimentalMethods } from './generated/experimental-methods.ts'
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
