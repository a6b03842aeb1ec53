// Whole frames on PostgreSQL: rows, so that every worker can read them. One is stored in the transaction of its event.
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { sql } from 'kysely'
import type { Db } from '../db.ts'
import type { StoredFrames } from './whole-frames.ts'

const KEYS_PER_PAGE = 1_000

/** `reader` is for everything but `put`. */
export function framesInTable(reader: Db): StoredFrames {
  const rowOf = (taskId: string, seq: number) =>
    reader.selectFrom('frames').select('packed').where('task_id', '=', taskId).where('seq', '=', seq)
  return {
    async put({ taskId, seq, frame }, db) {
      const packed = await promisify(gzip)(frame)
      // A statement that fails would take the whole transaction with it.
      await sql`savepoint frame`.execute(db)
      try {
        await db.insertInto('frames').values({ task_id: taskId, seq, packed }).execute()
        await sql`release savepoint frame`.execute(db)
      } catch (error) {
        await sql`rollback to savepoint frame`.execute(db)
        throw error
      }
    },
    async get(taskId, seq) {
      const row = await rowOf(taskId, seq).executeTakeFirst()
      return row ? (await promisify(gunzip)(row.packed)).toString() : null
    },
    // They go with the events, in the same transaction.
    forget: async () => {},
    async *all() {
      for (let page = await keysAfter(reader, '', 0); page.length > 0; ) {
        yield* page
        const { taskId, seq } = page.at(-1)!
        page = await keysAfter(reader, taskId, seq)
      }
    },
  }
}

function keysAfter(reader: Db, taskId: string, seq: number): Promise<{ taskId: string; seq: number }[]> {
  return reader
    .selectFrom('frames')
    .select(['task_id as taskId', 'seq'])
    .where(sql<boolean>`(task_id, seq) > (${taskId}, ${seq})`)
    .orderBy('task_id')
    .orderBy('seq')
    .limit(KEYS_PER_PAGE)
    .execute()
}
