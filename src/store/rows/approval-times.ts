// When questions were asked and settled: what stays of them when their task is gone.
import type { Db } from '../db.ts'
import type { StoredApproval } from './approval-rows.ts'

export async function noteAsked(
  db: Db,
  { id, created_at }: { id: string; created_at: number },
): Promise<void> {
  await db.insertInto('approval_times').values({ approval_id: id, asked_at: created_at }).execute()
}

/** Also that it is open again. */
export async function noteOutcome(db: Db, row: StoredApproval): Promise<void> {
  const { id, status, decided_by, settled_at } = row
  const outcome = status === 'withdrawn' ? status : decided_by
  await db.updateTable('approval_times').set({ settled_at, outcome }).where('approval_id', '=', id).execute()
}
