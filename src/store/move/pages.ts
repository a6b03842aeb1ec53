// Reads a table in the order of its key, in pages of bounded size.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db.ts'
import type { Table } from './tables.ts'

/** The values of one row, in the order of the table's columns. */
export type Values = readonly unknown[]

type Row = Readonly<Record<string, unknown>>

const MAX_ROWS = 2_000
/** Of text. A frame can have 2 MB, so the number of rows alone would not bound a page. */
const MAX_BYTES = 8 * 1024 * 1024

/** Every page has at least one row. The table must not change meanwhile. */
export async function* pagesOf(db: Db, table: Table): AsyncGenerator<readonly Values[]> {
  let after: Row | null = null
  for (;;) {
    const count = await countOfPage(db, table, after)
    if (count === 0) return
    const rows = await select(db, table, { what: refs(table.columns), after, limit: count })
    after = rows.at(-1)!
    yield rows.map((row) => table.columns.map((column) => row[column]))
  }
}

/** How many of the next rows fit, by their sizes: long values are not read for this. At least one. */
async function countOfPage(db: Db, table: Table, after: Row | null): Promise<number> {
  const sizes = table.textColumns.map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`)
  const what = sql`${sizes.length === 0 ? sql`0` : sql.join(sizes, sql` + `)} as bytes`
  const rows = await select(db, table, { what, after, limit: MAX_ROWS })
  let sum = 0
  const end = rows.findIndex(({ bytes }) => {
    sum += Number(bytes)
    return sum > MAX_BYTES
  })
  return end === -1 ? rows.length : Math.max(end, 1)
}

interface Selection {
  readonly what: RawBuilder<unknown>
  readonly after: Row | null
  readonly limit: number
}

async function select(db: Db, { name, key }: Table, { what, after, limit }: Selection): Promise<Row[]> {
  const place = after && sql.join(key.map((column) => after[column]))
  const condition = place ? sql`where (${refs(key)}) > (${place})` : sql``
  const { rows } = await sql<Row>`select ${what} from ${sql.table(name)} ${condition}
    order by ${refs(key)} limit ${limit}`.execute(db)
  return rows
}

function refs(columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(columns.map((column) => sql.ref(column)))
}
