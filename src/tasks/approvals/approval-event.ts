import type { Change, StoredApproval } from '../../store/index.ts'
import type { Approval } from '../model/index.ts'

/** In a change: what became of a question, as an event of its task. */
export function recordOf({ emit }: Change, row: StoredApproval): void {
  const { id, kind, title, decided_by: by, actor, why } = row
  const status = row.status as Approval['status']
  const answer = row.answer === null ? null : (JSON.parse(row.answer) as unknown)
  emit(row.task_id, 'drawbridge/approval', { approvalId: id, status, kind, title, by, actor, answer, why })
}
