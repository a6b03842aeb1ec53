// Tasks that wait for something all tasks of their account wait for say so, as long as it lasts.
import { type EventLog, taskRowsByStatus } from '../../store/index.ts'
import { accountOf } from '../link/index.ts'
import { changeStatus } from '../log/index.ts'
import { timeText } from '../model/index.ts'
import type { Hold } from './scheduler.ts'

/** null: nothing holds them any more. */
export async function tellHeld(
  { log, owns }: { log: EventLog; owns: (taskId: string) => boolean },
  account: string,
  hold: Hold | null,
): Promise<void> {
  const told = hold && {
    reason: `${hold.why}: it waits until ${timeText(hold.until)}`,
    heldUntil: hold.until,
  }
  await log.change(async (change) => {
    for (const row of await taskRowsByStatus(change.db, ['queued'])) {
      const { heldUntil = null } = JSON.parse(row.evidence) as { heldUntil?: number }
      if (!owns(row.id) || accountOf(row) !== account || heldUntil === (hold?.until ?? null)) continue
      await changeStatus(change, row.id, {
        status: 'queued',
        reason: told?.reason ?? 'it waits for its turn',
        evidence: told ? { heldUntil: told.heldUntil } : {},
      })
    }
  })
}
