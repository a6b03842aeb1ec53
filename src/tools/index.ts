// Tools of the host program over MCP, on loopback: threads, and the sub-agents that work for them, call them here.
import '../util/require-node.ts'

export { GivenTools, type GiveOptions } from './given-tools.ts'
export {
  type DeliverOptions,
  type HandedFile,
  type InsideTools,
  insideTools,
  type OnAttention,
  type OnCallerMessage,
  type OnStatus,
  type OnUrl,
} from './inside/index.ts'
export type { ServerPlace } from './server-config.ts'
export { openToolServer, ToolServer, type ToolServerOptions } from './tool-server.ts'
export { loadToolSources, type ToolEntry, type ToolSource } from './tool-sources.ts'
