// Follows a task until it has ended: what happens is shown as it happens, and questions are put to whoever is there.
import type { ApiError, DrawbridgeClient, EventEnvelope, Task } from '../../api/index.ts'
import { hasEnded } from './task-exit.ts'

export interface StreamOptions {
  readonly client: DrawbridgeClient
  readonly task: Task
  /** Events after this one are shown. */
  readonly after: number
  readonly onEvent: (event: EventEnvelope) => void
  /** Throws to give up. */
  readonly onReconnect: (lost: ApiError | null, attempt: number) => void
  readonly signal: AbortSignal
}

/** Resolves with the task as it is when it has ended; with the signal, as it is then. */
export async function streamTask({
  client,
  task,
  after,
  onEvent,
  onReconnect,
  signal,
}: StreamOptions): Promise<Task> {
  if (hasEnded(task)) {
    await showStored(client, task, { after, onEvent })
    return task
  }
  for await (const envelope of client.tasks.follow(task.id, { after, signal, onReconnect })) {
    onEvent(envelope)
    const { method, params } = envelope.event
    // What is read again from the log may tell of ends that others have followed.
    if (method !== 'drawbridge/task' || envelope.seq <= task.lastSeq || !hasEnded(params as Task)) continue
    const now = await client.tasks.get(task.id)
    if (hasEnded(now)) return now
  }
  return client.tasks.get(task.id)
}

export async function showStored(
  client: DrawbridgeClient,
  task: Task,
  { after, onEvent }: { after: number; onEvent: (event: EventEnvelope) => void },
): Promise<void> {
  let last = after
  for (;;) {
    const { events, hasMore } = await client.tasks.events(task.id, { after: last })
    for (const event of events) onEvent(event)
    last = events.at(-1)?.seq ?? last
    if (!hasMore || events.length === 0) return
  }
}
