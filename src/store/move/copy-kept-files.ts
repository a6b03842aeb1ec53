// The bytes of deliverables are files beside SQLite and rows of PostgreSQL: they are read from the one and put into the other.
import type { Db } from '../db.ts'
import { keptFilesOf } from '../kept-files.ts'
import { StoreError } from '../store-errors.ts'

export interface CopyKeptFilesOptions {
  /** Where they are beside SQLite. */
  readonly folder: string
  readonly signal?: AbortSignal | undefined
}

/** Of the deliverables that are there. One whose bytes are missing, after a backup was restored, stays so. */
export async function copyKeptFiles(
  source: Db,
  target: Db,
  { folder, signal }: CopyKeptFilesOptions,
): Promise<void> {
  const [from, to] = [keptFilesOf(source, folder), keptFilesOf(target, folder)]
  const rows = await target.selectFrom('deliverables').select(['id', 'task_id', 'sha256']).execute()
  for (const { id, task_id: taskId, sha256 } of rows) {
    signal?.throwIfAborted()
    const bytes = await from.open({ taskId, id })
    if (bytes && (await to.put({ taskId, id }, bytes)).sha256 !== sha256)
      throw new StoreError(
        'move-failed',
        `the bytes of a deliverable of task ${taskId} are not what was stored. Nothing was moved.`,
        { details: { table: 'deliverables', id } },
      )
  }
}
