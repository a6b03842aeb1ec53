import '../util/require-node.ts'

export type { AppServerRecord } from './app-server-record.ts'
export { type AppServerUnreachableCode, AppServerUnreachableError } from './app-server-unreachable-error.ts'
export { dataDir } from './data-dir.ts'
export { type CommandHookOptions, commandHook, endLeftBehindHook, moduleHook } from './hooks/index.ts'
export { endLeftBehind, leftBehind, runningAppServers } from './left-behind.ts'
export { loadRemoteHosts } from './load-remote-hosts.ts'
export { loadSshHosts } from './load-ssh-hosts.ts'
export { type CodexUnsuitableCode, CodexUnsuitableError } from './local/codex-unsuitable-error.ts'
export { MINIMUM_CODEX_VERSION } from './local/codex-version.ts'
export { type LocalHost, type LocalHostOptions, localHost, type SuitableCodex } from './local/local-host.ts'
export { realPath } from './local/real-path.ts'
export { runCodex } from './local/run-codex.ts'
export * from './machine/index.ts'
export type { AppServerEnd } from './owned-app-server.ts'
export {
  type AppServerPool,
  type AppServerPoolOptions,
  appServerPool,
} from './pool/app-server-pool.ts'
export { AppServerCrashLoopError } from './pool/crash-loop.ts'
export { type AppServerLimits, DEFAULT_LIMITS } from './pool/limits.ts'
export type { AppServerFacts, AppServerKey, PooledAppServer } from './pool/pooled-app-server.ts'
export { type ReapedAppServer, reapOrphans } from './reap-orphans.ts'
export type * from './remote/index.ts'
export type * from './ssh/index.ts'
export { type WebSocketHostOptions, webSocketHost } from './websocket-host.ts'
