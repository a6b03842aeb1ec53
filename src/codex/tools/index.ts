// Tools of the host program that the model can call, and how a thread is given them.
export { type CallPlace, callTool, type OnToolCall, type ToolCall } from './call-tool.ts'
export { type DynamicToolsOptions, dynamicTools } from './dynamic-tools.ts'
export type { JsonSchema, JsonSchemaValue } from './json-schema.ts'
export type { McpServerConfig, OpenedThread, ThreadTools } from './thread-tools.ts'
export {
  BadToolError,
  defineTool,
  type InputOf,
  isTool,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  type ToolInput,
  type ToolSchema,
  toolsByName,
} from './tool.ts'
export type { ToolContent, ToolOutput, ToolResult } from './tool-output.ts'
