// Carries over what can be read of a damaged database into a sound, empty one of the same schema.
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { type ReadableRows, readableRows, type Values } from './readable-rows.ts'

export interface Salvaged {
  /** Rows carried over, by table. */
  readonly rows: Readonly<Record<string, number>>
  /** Tables of which some rows could not be read. How many, nobody knows. */
  readonly incomplete: readonly string[]
}

interface Column {
  readonly name: string
  readonly type: string
}

/** Rows of a task go with it: without it nobody could find or answer them. */
const OF_A_TASK = ['task_labels', 'messages', 'approvals', 'events']

export function salvage(from: DatabaseSync, to: DatabaseSync): Salvaged {
  const rows: Record<string, number> = {}
  const incomplete: string[] = []
  to.exec('pragma foreign_keys = off; begin immediate')
  for (const table of tablesOf(to)) {
    const copied = copyTable(from, to, table)
    rows[table] = copied.count
    if (!copied.isWhole) incomplete.push(table)
  }
  for (const table of OF_A_TASK.filter((name) => name in rows)) {
    const { changes } = to.prepare(`delete from "${table}" where task_id not in (select id from tasks)`).run()
    rows[table]! -= Number(changes)
    if (changes && !incomplete.includes(table)) incomplete.push(table)
  }
  // A task must never give out a sequence that one of its events has.
  to.exec(`update tasks set last_seq = max(last_seq,
    coalesce((select max(seq) from events where task_id = tasks.id), 0))`)
  to.exec('commit; pragma foreign_keys = on')
  return { rows, incomplete }
}

/** The steps its schema went through, as far as that can be read. */
export function readMigrations(from: DatabaseSync): string[] {
  try {
    return from
      .prepare('select name from kysely_migration')
      .all()
      .map(({ name }) => String(name))
  } catch {
    return []
  }
}

export function tablesOf(database: DatabaseSync): string[] {
  return database
    .prepare(`select name from sqlite_master where type = 'table' order by rootpage`)
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !name.startsWith('sqlite_') && !name.startsWith('kysely_'))
}

function copyTable(from: DatabaseSync, to: DatabaseSync, table: string): { count: number; isWhole: boolean } {
  const readable = openTable(from, to, table)
  if (!readable) return { count: 0, isWhole: false }
  const { found, columns } = readable
  const names = columns.map(({ name }) => `"${name}"`).join(', ')
  const insert = to.prepare(
    `insert or ignore into "${table}" (${names}) values (${columns.map(() => '?').join(', ')})`,
  )
  let count = 0
  let refused = 0
  for (const values of found.rows) {
    const isInserted = fits(values, columns) && insert.run(...values).changes
    if (isInserted) count++
    else refused++
  }
  return { count, isWhole: found.isWhole && refused === 0 }
}

function openTable(
  from: DatabaseSync,
  to: DatabaseSync,
  table: string,
): { found: ReadableRows; columns: Column[] } | null {
  try {
    const known = new Set(columnsOf(to, table).map(({ name }) => name))
    const columns = columnsOf(from, table).filter(({ name }) => known.has(name))
    if (columns.length === 0) return null
    return {
      columns,
      found: readableRows(
        from,
        table,
        columns.map(({ name }) => name),
      ),
    }
  } catch {
    return null
  }
}

function columnsOf(database: DatabaseSync, table: string): Column[] {
  const columns = database.prepare(`select name, type from pragma_table_info(?)`).all(table)
  return columns.map(({ name, type }) => ({ name: String(name), type: String(type).toLowerCase() }))
}

/** A page of something else can look like rows: then the types are wrong. */
function fits(values: Values, columns: readonly Column[]): boolean {
  return columns.every(({ type }, index) => {
    const value = values[index] as SQLOutputValue
    return value === null || typeof value === (type === 'text' ? 'string' : 'bigint')
  })
}
