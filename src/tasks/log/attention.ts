// The mark on a task whose model wants a person to look.
import { type Change, type StoredTask, updateTask } from '../../store/index.ts'
import type { StoredAttention } from '../model/index.ts'

export function attentionOf({ attention }: Pick<StoredTask, 'attention'>): StoredAttention | null {
  return attention === null ? null : (JSON.parse(attention) as StoredAttention)
}

/** In a change: somebody has looked, or has told the task something. */
export async function clearAttention(
  change: Change,
  task: Pick<StoredTask, 'id' | 'attention'>,
  actor: string,
): Promise<void> {
  const before = attentionOf(task)
  if (before?.reason == null) return
  const attention = JSON.stringify({ ...before, reason: null })
  await updateTask(change.db, task.id, { attention, updated_at: change.now })
  change.emit(task.id, 'drawbridge/attention', { reason: null, actor })
}
