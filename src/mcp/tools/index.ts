// The tools, in the order they are listed.
import { fork, interrupt, send } from './act.ts'
import { notices } from './notices.ts'
import { answer, questions } from './questions.ts'
import { list, models, result, show } from './read.ts'
import { start } from './start.ts'
import type { Tool } from './tool.ts'
import { wait } from './wait.ts'

export type { Tool, ToolCall } from './tool.ts'

export const TOOLS: readonly Tool[] = [
  start,
  wait,
  show,
  list,
  send,
  interrupt,
  answer,
  result,
  fork,
  questions,
  notices,
  models,
]
