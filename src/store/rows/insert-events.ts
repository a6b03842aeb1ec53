// Inserts into the log, on the path of every notification: their SQL is made once.
import { CompiledQuery } from 'kysely'
import type { Db } from '../db.ts'
import { isPostgres } from '../dialect.ts'
import type { EventRow } from '../schema.ts'
import { updateTask } from './task-rows.ts'

export function insertEvents(db: Db, rows: readonly EventRow[]): Promise<void> {
  return isPostgres(db) ? insertArrays(db, rows, INSERT_ARRAYS) : insertGroups(db, rows)
}

/** Events in the order of their sequences, and with them where the logs of their tasks end. */
export async function appendEvents(db: Db, rows: readonly EventRow[]): Promise<void> {
  if (isPostgres(db)) return insertArrays(db, rows, APPEND_ARRAYS)
  await insertGroups(db, rows)
  const ends = new Map(rows.map(({ task_id, seq }) => [task_id, seq]))
  for (const [taskId, seq] of ends) await updateTask(db, taskId, { last_seq: seq })
}

/** Few sizes, so that few statements are kept prepared. */
const GROUPS = [128, 16, 1] as const
const inserts = new Map<number, string>()

async function insertGroups(db: Db, rows: readonly EventRow[]): Promise<void> {
  let from = 0
  for (const size of GROUPS) {
    while (rows.length - from >= size) {
      await db.executeQuery(CompiledQuery.raw(insertOf(db, size), valuesOf(rows, from, from + size)))
      from += size
    }
  }
}

function insertOf(db: Db, size: number): string {
  const known = inserts.get(size)
  if (known) return known
  const row: EventRow = {
    task_id: '',
    seq: 0,
    at: 0,
    method: '',
    turn_id: null,
    item_id: null,
    is_delta: 0,
    frame: '',
  }
  const compiled = db
    .insertInto('events')
    .values(Array.from({ length: size }, () => row))
    .compile()
  inserts.set(size, compiled.sql)
  return compiled.sql
}

function valuesOf(rows: readonly EventRow[], from: number, to: number): unknown[] {
  const values: unknown[] = []
  for (let index = from; index < to; index++) {
    const { task_id, seq, at, method, turn_id, item_id, is_delta, frame } = rows[index]!
    values.push(task_id, seq, at, method, turn_id, item_id, is_delta, frame)
  }
  return values
}

/** A statement of 8 parameters for any number of rows: faster than a list of values, and no limit of 65,535 of them. */
const INSERT_ARRAYS = `insert into events (task_id, seq, at, method, turn_id, item_id, is_delta, frame)
  select * from unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::integer[],
    $8::text[])`

/** One round trip for both. */
const APPEND_ARRAYS = `with stored as (${INSERT_ARRAYS} returning task_id, seq)
  update tasks set last_seq = ends.seq from (select task_id, max(seq) as seq from stored group by task_id) as ends
  where tasks.id = ends.task_id`

/** A parameter may not be larger than 1 GB, and a frame has up to 2 million characters. */
const MAX_ROWS = 2_000
const MAX_CHARS = 16 * 1024 * 1024

async function insertArrays(db: Db, rows: readonly EventRow[], statement: string): Promise<void> {
  for (let from = 0; from < rows.length; ) {
    const to = endOfGroup(rows, from)
    await db.executeQuery(CompiledQuery.raw(statement, arraysOf(rows, from, to)))
    from = to
  }
}

/** At least one row. */
function endOfGroup(rows: readonly EventRow[], from: number): number {
  let chars = 0
  let to = from
  do chars += rows[to++]!.frame.length
  while (to < rows.length && to - from < MAX_ROWS && chars < MAX_CHARS)
  return to
}

function arraysOf(rows: readonly EventRow[], from: number, to: number): unknown[] {
  const arrays: unknown[][] = [[], [], [], [], [], [], [], []]
  for (let index = from; index < to; index++) {
    const { task_id, seq, at, method, turn_id, item_id, is_delta, frame } = rows[index]!
    const values = [task_id, seq, at, method, turn_id, item_id, is_delta, frame]
    for (const [column, value] of values.entries()) arrays[column]!.push(value)
  }
  return arrays
}
