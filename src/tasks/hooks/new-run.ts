import { uuidv7 } from 'uuidv7'
import type { StoredHookRun } from '../../store/index.ts'
import type { Hook } from './hook-set.ts'

type Given = Pick<StoredHookRun, 'task_id' | 'worker_id' | 'subject' | 'facts' | 'position'>

/** A run that is about to be on record. */
export function newRun(
  { name, on }: Pick<Hook, 'name' | 'on'>,
  { now, ...columns }: Given & { readonly now: number },
) {
  return { ...columns, id: uuidv7(), hook: name, event: on, state: 'planned', attempt: 0, created_at: now }
}
