import { DrawbridgeError } from '../errors/index.ts'
import type { Escalation } from '../policy/index.ts'
import type { ServerMethod, ServerParams, ServerResult } from '../protocol/index.ts'
import type { RequestId } from '../wire/index.ts'
import type { Changes, McpToolCall } from './open-items.ts'
import type { Answer, Choice, ParentTurn, Question, Word } from './question.ts'

/** What one kind of server request means: how it is refused, shown and answered. */
export interface Family<M extends ServerMethod> {
  /** The safe answer when nobody gives one. Throws a `Refusal` where only a JSON-RPC error says no. */
  refuse(params: ServerParams<M>, facts: Facts): ServerResult<M>
  /** What a person is shown. Absent for requests that no person answers. */
  ask?(params: ServerParams<M>, facts: Facts): Question
  /** codex's reply for an answer. Throws a `BadAnswerError` for one that the question does not allow. */
  reply?(answer: Exclude<Answer, { result: unknown }>, params: ServerParams<M>, facts: Facts): ServerResult<M>
}

/** What the params themselves do not say. */
export interface Facts {
  readonly requestId: RequestId
  readonly parent: ParentTurn | null
  /** The machine that the thread's commands run on; absent: codex's own. */
  readonly host?: string | undefined
  readonly codexVersion: string | null
  /** The thread's folder, for requests that leave theirs out. */
  readonly cwd: string
  /** What an approved command reaches; null when the thread is not one of ours. */
  readonly escalation: Escalation | null
  /** The changes of a file-change item: the request names only the item. */
  readonly changes: Changes
  /** MCP tools of the thread that codex has begun to call and not asked about yet. */
  readonly toolCalls: readonly McpToolCall[]
}

/** The answer is not one this question can be given. */
export class BadAnswerError extends DrawbridgeError {
  constructor(what: string) {
    super(what, { code: 'bad-answer' })
  }
}

export function notOffered(answer: unknown, choices: readonly Choice[]): never {
  const words = choices.map(({ word }) => word).join(', ')
  // Only words are repeated: other answers may hold a secret.
  const given = isWord(answer) ? JSON.stringify(answer) : 'that'
  throw new BadAnswerError(`${given} is not an answer to this question; these are: ${words}`)
}

export function isWord(answer: unknown): answer is Word {
  return typeof answer === 'string'
}

/** The ids every request about a turn carries, and what it left out. */
export function about(
  params: { threadId?: string | null; turnId?: string | null; itemId?: string | null },
  facts: Facts,
): Pick<Question, 'requestId' | 'threadId' | 'turnId' | 'itemId' | 'parent' | 'host' | 'params'> {
  const { threadId = null, turnId = null, itemId = null } = params ?? {}
  const { requestId, parent, host } = facts
  return { requestId, threadId, turnId, itemId, parent, ...(host !== undefined && { host }), params }
}
