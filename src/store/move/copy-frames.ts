// Frames that are too large for the log are files beside SQLite and rows of PostgreSQL: they are read from the one and
// put into the other.
import { sql } from 'kysely'
import type { Db } from '../db.ts'
import { isPostgres } from '../dialect.ts'
import { wholeFramesOf } from '../log/whole-frames.ts'
import { StoreError } from '../store-errors.ts'
import type { CopyStoreOptions, MovedTable } from './copy-store.ts'

export interface CopyFramesOptions extends Pick<CopyStoreOptions, 'onProgress' | 'signal'> {
  /** Where they are beside SQLite. */
  readonly folder: string
}

/** Those of tasks that are there. Each is read back. */
export async function copyFrames(
  source: Db,
  target: Db,
  { folder, onProgress, signal }: CopyFramesOptions,
): Promise<MovedTable> {
  if (isPostgres(target)) await refuseFrames(target)
  const [from, to] = [wholeFramesOf(source, folder), wholeFramesOf(target, folder)]
  let rows = 0
  for await (const { taskId, seq } of from.all()) {
    signal?.throwIfAborted()
    const frame = (await isTask(target, taskId)) ? await from.get(taskId, seq) : null
    if (frame === null) continue
    await to.put({ taskId, seq, frame }, target)
    if ((await to.get(taskId, seq)) !== frame) throw notTheSame(taskId, seq)
    rows++
    onProgress?.({ table: 'frames', copied: rows, checked: rows, total: rows })
  }
  return { table: 'frames', rows, changedValues: 0 }
}

async function isTask(db: Db, id: string): Promise<boolean> {
  return (await db.selectFrom('tasks').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
}

async function refuseFrames(target: Db): Promise<void> {
  const { rows } = await sql`select 1 from frames limit 1`.execute(target)
  if (rows.length === 0) return
  throw new StoreError(
    'target-not-empty',
    'the target has rows already (in frames). Nothing was changed. Choose an empty database.',
    { details: { table: 'frames' } },
  )
}

function notTheSame(taskId: string, seq: number): StoreError {
  const message = `event ${seq} of task ${taskId} is not the same in the target. Nothing was moved.`
  return new StoreError('move-failed', message, { details: { table: 'frames' } })
}
