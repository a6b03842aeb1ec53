import { CompiledQuery, sql } from 'kysely'
import type { Db } from '../db.ts'
import { isPostgres } from '../dialect.ts'
import type { Values } from './pages.ts'
import type { Table } from './tables.ts'

export type InsertRows = (rows: readonly Values[]) => Promise<void>

/** Generated columns get the values given. */
export function inserterOf(db: Db, table: Table): Promise<InsertRows> {
  return isPostgres(db) ? arrayInserter(db, table) : groupInserter(db, table)
}

/** One array for each column: any number of rows in one statement. */
async function arrayInserter(db: Db, table: Table): Promise<InsertRows> {
  const types = await columnTypes(db, table.name)
  const arrays = table.columns.map((column, index) => `$${index + 1}::${types.get(column)}[]`)
  const statement = `${insertInto(table)} select * from unnest(${arrays.join(', ')})`
  return async (rows) => {
    const values = table.columns.map((_, index) => rows.map((row) => row[index]))
    await db.executeQuery(CompiledQuery.raw(statement, values))
  }
}

/** As PostgreSQL names them, by column. Empty when there is no such table. */
export async function columnTypes(db: Db, table: string): Promise<Map<string, string>> {
  const { rows } = await sql<{ name: string; type: string }>`
    select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
    where attrelid = to_regclass(quote_ident(${table})) and attnum > 0 and not attisdropped`.execute(db)
  return new Map(rows.map(({ name, type }) => [name, type]))
}

/** Few sizes, so that few statements are prepared. */
const GROUPS = [128, 16, 1] as const

async function groupInserter(db: Db, table: Table): Promise<InsertRows> {
  const row = `(${table.columns.map(() => '?').join(', ')})`
  const statements = GROUPS.map((size) => ({
    size,
    statement: `${insertInto(table)} values ${Array.from({ length: size }, () => row).join(', ')}`,
  }))
  return async (rows) => {
    let from = 0
    for (const { size, statement } of statements) {
      for (; rows.length - from >= size; from += size)
        await db.executeQuery(CompiledQuery.raw(statement, rows.slice(from, from + size).flat()))
    }
  }
}

function insertInto({ name, columns }: Table): string {
  return `insert into ${quoted(name)} (${columns.map(quoted).join(', ')})`
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
