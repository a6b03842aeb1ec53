// Which tables are moved with a store, read from its schema: a table that a later migration adds is found without a change here.
import { sql } from 'kysely'
import type { Db } from '../db.ts'

export interface Table {
  readonly name: string
  readonly columns: readonly string[]
  /** The columns whose values can be long. */
  readonly textColumns: readonly string[]
  /** The primary key, in its order. */
  readonly key: readonly string[]
  /** The column that the database numbers by itself; null when there is none. */
  readonly generated: string | null
}

/** About the workers of one store, and who is let in by them: worthless in another. */
const NOT_MOVED: readonly string[] = [
  ...['workers', 'commands', 'feed', 'account_holds'],
  ...['door_tokens', 'door_logins', 'door_codes'],
]

/** Parents before the tables that refer to them. Of SQLite, whose file has only our tables in it. */
export async function tablesOf(sqlite: Db): Promise<Table[]> {
  const tables: Table[] = []
  const parents = new Map<string, readonly string[]>()
  for (const { name, columns, isView } of await sqlite.introspection.getTables()) {
    if (isView || NOT_MOVED.includes(name)) continue
    tables.push({
      name,
      columns: columns.map((column) => column.name),
      textColumns: columns.filter(({ dataType }) => !isNumeric(dataType)).map((column) => column.name),
      key: await keyOf(sqlite, name),
      generated: columns.find(({ isAutoIncrementing }) => isAutoIncrementing)?.name ?? null,
    })
    parents.set(name, await parentsOf(sqlite, name))
  }
  return parentsFirst(tables, parents)
}

function isNumeric(dataType: string): boolean {
  return /^(integer|bigint|real)$/i.test(dataType)
}

async function keyOf(sqlite: Db, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from pragma_table_info(${table})
    where pk > 0 order by pk`.execute(sqlite)
  if (rows.length === 0) throw new Error(`the table ${table} has no primary key, so it has no pages to copy`)
  return rows.map(({ name }) => name)
}

async function parentsOf(sqlite: Db, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select distinct "table" as name
    from pragma_foreign_key_list(${table})`.execute(sqlite)
  return rows.map(({ name }) => name).filter((name) => name !== table)
}

function parentsFirst(tables: readonly Table[], parents: ReadonlyMap<string, readonly string[]>): Table[] {
  const ordered: Table[] = []
  let left = [...tables]
  while (left.length > 0) {
    const waiting = new Set(left.map(({ name }) => name))
    const isReady = ({ name }: Table) => !parents.get(name)!.some((parent) => waiting.has(parent))
    const ready = left.filter(isReady)
    if (ready.length === 0) throw new Error(`these tables refer to each other: ${[...waiting].join(', ')}`)
    ordered.push(...ready)
    left = left.filter((table) => !ready.includes(table))
  }
  return ordered
}
