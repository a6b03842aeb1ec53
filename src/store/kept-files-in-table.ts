// Deliverables on PostgreSQL: pieces in a table, written before the row of their deliverable.
import { sql } from 'kysely'
import type { Db } from './db.ts'
import { type Bytes, counted, type KeptFile, type KeptFileKey, type KeptFiles } from './kept-files.ts'

const DATABASE_TIME = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
const PART_BYTES = 512 * 1024

export function keptFilesInTable(db: Db): KeptFiles {
  const drop = async ({ id }: KeptFileKey) => {
    await db.deleteFrom('deliverable_parts').where('deliverable_id', '=', id).execute()
  }
  return {
    async put(key, source) {
      let kept: KeptFile = { bytes: 0, sha256: '' }
      let part = 0
      try {
        for await (const bytes of inParts(counted(source, (done) => (kept = done))))
          await db
            .insertInto('deliverable_parts')
            .values({
              ...{ deliverable_id: key.id, task_id: key.taskId },
              ...{ part: part++, bytes, created_at: DATABASE_TIME },
            })
            .execute()
        return kept
      } catch (error) {
        // What cannot be removed now the retention removes.
        await drop(key).catch(() => {})
        throw error
      }
    },
    async open({ id }) {
      const first = await readPart(db, id, 0)
      return first ? partsFrom(db, id, first) : null
    },
    drop,
    forget: async (taskId) => {
      await db.deleteFrom('deliverable_parts').where('task_id', '=', taskId).execute()
    },
    // Another worker may be writing: the retention removes what is a day old.
    sweep: async () => {},
  }
}

async function* partsFrom(db: Db, id: string, first: Uint8Array): AsyncGenerator<Uint8Array> {
  yield first
  for (let part = 1; ; part++) {
    const bytes = await readPart(db, id, part)
    if (!bytes) return
    yield bytes
  }
}

async function readPart(db: Db, id: string, part: number): Promise<Uint8Array | undefined> {
  const row = await db
    .selectFrom('deliverable_parts')
    .select('bytes')
    .where('deliverable_id', '=', id)
    .where('part', '=', part)
    .executeTakeFirst()
  return row?.bytes
}

/** At least one: of an empty file an empty one. */
async function* inParts(source: Bytes): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = []
  let size = 0
  let isEmpty = true
  for await (const chunk of source) {
    waiting.push(chunk)
    size += chunk.byteLength
    if (size < PART_BYTES) continue
    yield Buffer.concat(waiting)
    waiting = []
    size = 0
    isEmpty = false
  }
  if (size > 0 || isEmpty) yield Buffer.concat(waiting)
}
