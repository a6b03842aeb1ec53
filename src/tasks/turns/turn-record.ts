// What stays of a turn when its events, and even its task, are gone: when it was, how it ended, what it used.
import type { TokenUsage } from '../../codex/index.ts'
import { NO_TOKENS } from '../../codex/index.ts'
import {
  type Change,
  type Db,
  hasTurnIn,
  messagesOfTurn,
  recordTurn,
  type StoredTask,
  type TaskUpdate,
} from '../../store/index.ts'
import type { TokenMeter } from '../link/index.ts'
import type { Settled } from './settled.ts'

/** In the change that ends a turn, before its messages are settled. Returns what else of the task changes with it. */
export async function writeTurnRecord(
  { db, now, after }: Change,
  task: StoredTask,
  { settled, usage }: { settled: Settled; usage: TokenMeter },
): Promise<TaskUpdate> {
  if (settled.turnId === '') return {} // codex had not begun one
  const { thread_id: threadId } = task
  const counted = await countedBefore(db, task)
  if (threadId !== null && counted) usage.setCounted(threadId, counted)
  const { used, take } = usage.read()
  const { inputTokens, cachedInputTokens, outputTokens, reasoningOutputTokens } = used
  after(take)
  await recordTurn(db, {
    task_id: task.id,
    turn_id: settled.turnId,
    thread_id: threadId,
    status: settled.status,
    ...(await timesOf(db, task, { settled, now })),
    input_tokens: inputTokens,
    cached_input_tokens: cachedInputTokens,
    output_tokens: outputTokens,
    reasoning_output_tokens: reasoningOutputTokens,
  })
  const total = threadId === null ? null : usage.totalOf(threadId)
  return total ? { usage: JSON.stringify(total) } : {}
}

/** What the records have of its thread; null when nobody knows: what a new fork brings along is not its own. */
async function countedBefore(
  db: Db,
  { id, thread_id, usage, fork_of }: StoredTask,
): Promise<TokenUsage | null> {
  const isOfThisThread = usage !== null && (await hasTurnIn(db, { taskId: id, threadId: thread_id }))
  if (isOfThisThread) return JSON.parse(usage) as TokenUsage
  return fork_of === null ? NO_TOKENS : null
}

/** codex's own times where they were read from its history: then we were not there. */
async function timesOf(
  db: Db,
  task: StoredTask,
  { settled, now }: { settled: Settled; now: number },
): Promise<{ started_at: number; ended_at: number }> {
  const within = (time: number | null | undefined) =>
    typeof time === 'number' && time >= task.created_at && time <= now ? time : null
  const messages = await messagesOfTurn(db, task.id, settled.turnId)
  const sentAt = messages.find(({ mode }) => mode === 'queue')?.updated_at
  return {
    started_at: within(settled.times?.startedAt) ?? sentAt ?? now,
    ended_at: within(settled.times?.endedAt) ?? now,
  }
}
