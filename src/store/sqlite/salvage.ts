// Puts what can be read of a damaged database over the rows of a backup, or into an empty database.
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { INVARIANTS } from '../upkeep/invariants.ts'

export interface Salvaged {
  /** Rows taken from the damaged file, by table. */
  readonly salvaged: Readonly<Record<string, number>>
  /** Tables that could not be read to the end, or of which rows had to be left out. */
  readonly incomplete: readonly string[]
}

type Row = readonly SQLOutputValue[]

/** Rows of a task go with it: without it nobody could find or answer them. */
const OF_A_TASK = ['task_labels', 'messages', 'approvals', 'events']

/** What had not been sent when the backup was made may have been sent since, and must not be sent twice. */
const SEND_NOTHING_TWICE = `
  update messages set status = 'cancelled' where status in ('queued', 'sending');
  update tasks set status = 'queued' where status = 'starting';
  update tasks set limited_until = null;
  update outbox set status = 'dead', next_attempt_at = null, last_error = 'restored from a backup: may have been sent'
    where status = 'pending';`

/** `from` is null when nothing of the damaged file can be read. `to` has the backup's rows, or none. */
export function salvage(from: DatabaseSync | null, to: DatabaseSync): Salvaged {
  const salvaged: Record<string, number> = {}
  const incomplete = new Set<string>()
  to.exec(`pragma foreign_keys = off; begin immediate; ${SEND_NOTHING_TWICE}`)
  for (const table of tablesOf(to)) {
    const { count, isComplete } = from ? takeTable(from, to, table) : { count: 0, isComplete: false }
    salvaged[table] = count
    if (!isComplete) incomplete.add(table)
  }
  // A task must never give out a sequence that one of its events has.
  to.exec(`update tasks set last_seq = max(last_seq,
    coalesce((select max(seq) from events where task_id = tasks.id), 0))`)
  const orphans = OF_A_TASK.map((table) => ({ table, broken: 'task_id not in (select id from tasks)' }))
  for (const { table, broken } of [...INVARIANTS, ...orphans])
    if (to.prepare(`delete from ${table} where ${broken}`).run().changes) incomplete.add(table)
  to.exec('commit; pragma foreign_keys = on')
  return { salvaged, incomplete: [...incomplete] }
}

/** Tasks first: rows that belong to a task are taken only with it. */
export function tablesOf(database: DatabaseSync): string[] {
  const select = `select name from sqlite_master where type = 'table' order by name <> 'tasks', name`
  const names = database.prepare(select).all()
  return names.map(({ name }) => String(name)).filter((name) => !/^(sqlite|kysely)_/.test(name))
}

/** A table that can be read to its end replaces the backup's; of any other, each row read replaces the backup's row. */
function takeTable(from: DatabaseSync, to: DatabaseSync, table: string) {
  const columns = to
    .prepare('select name, lower(type) as type, "notnull" or pk as required from pragma_table_info(?)')
    .all(table)
  const names = columns.map(({ name }) => `"${name}"`).join(', ')
  const values = columns.map((_, index) => `?${index + 1}`).join(', ')
  const taskId = columns.findIndex(({ name }) => name === 'task_id') + 1
  const condition = OF_A_TASK.includes(table) ? `where ?${taskId} in (select id from tasks)` : ''
  // A page of something else can look like rows: then the types are wrong.
  const isGood = (row: Row | null): row is Row =>
    row?.every((value, index) => {
      const { type, required } = columns[index]!
      return value === null ? !required : typeof value === (type === 'text' ? 'string' : 'bigint')
    }) === true
  if (isEach(readRows(from, table, names), isGood)) to.exec(`delete from "${table}"`)
  const insert = to.prepare(`insert or replace into "${table}" (${names}) select ${values} ${condition}`)
  let count = 0
  let isComplete = true
  for (const row of readRows(from, table, names))
    if (isGood(row) && insert.run(...row).changes) count++
    else isComplete = false
  return { count, isComplete }
}

function isEach<T>(items: Iterable<T>, test: (item: T) => boolean): boolean {
  for (const item of items) if (!test(item)) return false
  return true
}

/** From the first row until an error, then from the last row back to one. null stands for what cannot be read. */
function* readRows(from: DatabaseSync, table: string, columns: string): Generator<Row | null> {
  let reached: bigint | null = null
  for (const order of ['asc', 'desc'] as const) {
    let previous: bigint | null = null
    try {
      // `not indexed`: an index may be damaged where the table is not.
      const sql = `select rowid, ${columns} from "${table}" not indexed order by rowid ${order}`
      const select = from.prepare(sql)
      select.setReadBigInts(true)
      select.setReturnArrays(true)
      for (const row of select.iterate() as Iterable<unknown> as Iterable<[bigint, ...Row]>) {
        const [rowId, ...values] = row
        if (order === 'desc' && reached !== null && rowId <= reached) return
        if (previous !== null && rowId > previous !== (order === 'asc'))
          throw new Error('a damaged tree can lead in circles')
        previous = rowId
        yield values
      }
      return
    } catch {
      reached = previous
      yield null
    }
  }
}
