// Tools of the host program over MCP, on loopback: threads, and the sub-agents that work for them, call them here.
import '../util/require-node.ts'

export { GivenTools, type GiveOptions } from './given-tools.ts'
export { openToolServer, ToolServer, type ToolServerOptions } from './tool-server.ts'
