// A frame too large for the log is kept whole elsewhere: in a file of its own, or on PostgreSQL in a row. The log keeps its
// head, its size and where it is.
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { Db } from '../db.ts'
import { isPostgres } from '../dialect.ts'
import type { EventRow } from '../schema.ts'
import { ownFrame } from '../task-event.ts'
import { framesInTable } from './frame-table.ts'

/** codex caps a command's output at 1 MiB; nearly everything fits. */
const MAX_FRAME_CHARS = 2 * 1024 * 1024
const HEAD_CHARS = 4 * 1024

interface FrameKey {
  readonly taskId: string
  readonly seq: number
}

export interface WholeFrames {
  /** Durable when it resolves, or with the transaction. */
  put(frame: FrameKey & { readonly frame: string }, db: Db): Promise<void>
  get(taskId: string, seq: number): Promise<string | null>
  /** When the events of a task have been deleted. */
  forget(taskId: string): Promise<void>
}

export interface StoredFrames extends WholeFrames {
  /** Those of a task one after the other. */
  all(): AsyncIterable<FrameKey>
}

/** `folder` is for those of SQLite. */
export function wholeFramesOf(reader: Db, folder: string): StoredFrames {
  return isPostgres(reader) ? framesInTable(reader) : wholeFramesIn(folder)
}

/** The events as they are stored. Given ones stay as they are: they may have to be stored again. */
export async function boundedFrames(
  db: Db,
  rows: readonly EventRow[],
  whole: WholeFrames,
): Promise<readonly EventRow[]> {
  if (!rows.some(isTooLarge)) return rows
  const bounded: EventRow[] = []
  for (const row of rows) bounded.push(isTooLarge(row) ? await headOf(db, row, whole) : row)
  return bounded
}

function isTooLarge({ frame }: EventRow): boolean {
  return frame.length > MAX_FRAME_CHARS
}

async function headOf(db: Db, row: EventRow, whole: WholeFrames): Promise<EventRow> {
  const { frame, task_id: taskId, seq, method, item_id: itemId } = row
  const pointer = await whole.put({ taskId, seq, frame }, db).then(
    () => `/v1/tasks/${taskId}/events/${seq}`,
    () => null, // a full disk must not cost the event
  )
  const head = frame.slice(0, HEAD_CHARS).toWellFormed()
  const bytes = Buffer.byteLength(frame)
  const own = 'drawbridge/oversize'
  return { ...row, method: own, frame: ownFrame(own, { method, bytes, head, pointer, itemId }) }
}

function wholeFramesIn(folder: string): StoredFrames {
  const fileOf = (taskId: string, seq: number) => path.join(folder, taskId, `${seq}.json.gz`)
  return {
    async put({ taskId, seq, frame }) {
      const file = fileOf(taskId, seq)
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
      const handle = await open(`${file}.tmp`, 'w', 0o600)
      try {
        await handle.writeFile(await promisify(gzip)(frame))
        await handle.sync()
      } finally {
        await handle.close()
      }
      await rename(`${file}.tmp`, file)
    },
    async get(taskId, seq) {
      const packed = await readFile(fileOf(taskId, seq)).catch(() => null)
      return packed && (await promisify(gunzip)(packed)).toString()
    },
    forget: (taskId) => rm(path.join(folder, taskId), { recursive: true, force: true }),
    async *all() {
      for (const taskId of await readdir(folder).catch(() => []))
        for (const name of await readdir(path.join(folder, taskId)).catch(() => [])) {
          const seq = /^(\d+)\.json\.gz$/.exec(name)?.[1]
          if (seq !== undefined) yield { taskId, seq: Number(seq) }
        }
    },
  }
}
