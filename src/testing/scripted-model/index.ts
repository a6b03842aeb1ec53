export {
  cutStream,
  failed,
  hang,
  headers,
  httpError,
  incomplete,
  type SseEvent,
  slow,
  sse,
} from './faults.ts'
export {
  type InputItem,
  lastUserText,
  type ModelRequest,
  type ResponsesBody,
  type ToolOutput,
  toolOutputs,
} from './model-request.ts'
export {
  applyPatch,
  type CallIdentity,
  customToolCall,
  functionCall,
  message,
  type Pacing,
  reasoning,
  type ShellOptions,
  shell,
  usage,
} from './output.ts'
export type { Reply, ReplyPart } from './reply.ts'
export {
  type ModelScript,
  type ScriptedModel,
  type ScriptedModelOptions,
  startScriptedModel,
} from './scripted-model.ts'
