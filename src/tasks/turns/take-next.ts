// The message that a task is to work on next.
import { type Db, type EventLog, messageRows, taskRow } from '../../store/index.ts'
import { changeStatus } from '../log/index.ts'
import type { Next } from './turn-start.ts'

/** A lost or limited task keeps its messages until it is resumed. */
export async function nextOf(db: Db, taskId: string): Promise<Next | null> {
  const row = await taskRow(db, taskId)
  if (row?.status !== 'queued') return null
  const [message] = await messageRows(db, taskId, ['queued'])
  return message ? { row, message } : null
}

/** What it does now that it has a place; null when everything was taken back while it waited. */
export function takeNext(taskId: string, { log }: { readonly log: EventLog }): Promise<Next | null> {
  return log.change(async (change) => {
    const next = await nextOf(change.db, taskId)
    if (!next) return null
    await changeStatus(change, taskId, {
      status: 'starting',
      reason: 'its thread is being opened',
      more: { queued_at: null, limited_until: null, started_at: next.row.started_at ?? change.now },
    })
    return next
  })
}
