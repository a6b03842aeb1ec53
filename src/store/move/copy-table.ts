import { sql } from 'kysely'
import type { Db } from '../db.ts'
import { isPostgres } from '../dialect.ts'
import { storable } from '../postgres/values.ts'
import { Checksum } from './checksum.ts'
import { continueAfter, lastGenerated } from './generated-ids.ts'
import { inserterOf } from './insert-rows.ts'
import { pagesOf, type Values } from './pages.ts'
import type { Table } from './tables.ts'

export interface Copied {
  /** Of the rows that the target must have. */
  readonly checksum: Checksum
  /** Values that PostgreSQL cannot hold as they are: text with U+0000, which becomes `␀` (U+2400). */
  readonly changedValues: number
}

interface CopyOptions {
  readonly source: Db
  readonly target: Db
  /** How many rows have been copied, after every page. Throws to stop. */
  readonly onPage: (copied: number) => void
}

export async function copyTable(table: Table, { source, target, onPage }: CopyOptions): Promise<Copied> {
  const checksum = new Checksum()
  const insert = await inserterOf(target, table)
  let changedValues = 0
  for await (const page of pagesOf(source, table)) {
    const rows = isPostgres(target) ? page.map(storableRow) : page
    for (const [index, row] of rows.entries()) {
      checksum.add(row)
      changedValues += row.filter((value, column) => value !== page[index]![column]).length
    }
    await insert(rows)
    onPage(checksum.rows)
  }
  await continueAfter(target, table, await lastGenerated(source, table))
  return { checksum, changedValues }
}

function storableRow(row: Values): Values {
  return row.map(storable)
}

export async function countRows(db: Db, table: Table): Promise<number> {
  const { rows } = await sql<{
    count: number
  }>`select count(*) as count from ${sql.table(table.name)}`.execute(db)
  return rows[0]!.count
}

/** Of the rows as queries return them. */
export async function checksumOf(db: Db, table: Table, onPage: CopyOptions['onPage']): Promise<Checksum> {
  const checksum = new Checksum()
  for await (const page of pagesOf(db, table)) {
    for (const row of page) checksum.add(row)
    onPage(checksum.rows)
  }
  return checksum
}
