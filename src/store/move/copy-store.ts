import type { Db } from '../db.ts'
import { isPostgres } from '../dialect.ts'
import type { Migrations } from '../migrate.ts'
import { StoreError } from '../store-errors.ts'
import { type Copied, checksumOf, copyTable, countRows } from './copy-table.ts'
import { holdTables, refuseOtherColumns, refuseOtherSchema, refuseRows, refuseWorkers } from './sides.ts'
import { type Table, tablesOf } from './tables.ts'

export interface MoveProgress {
  readonly table: string
  readonly copied: number
  /** How many of the copied rows have been read back. Begins when all tables are copied. */
  readonly checked: number
  readonly total: number
}

export interface CopyStoreOptions {
  readonly migrations: Migrations
  readonly onProgress?: ((progress: MoveProgress) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

export interface MovedTable {
  readonly table: string
  readonly rows: number
  /** Values with U+0000, which PostgreSQL has as `␀` (U+2400). */
  readonly changedValues: number
}

interface CopiedTable {
  readonly table: Table
  readonly copied: Copied
  /** Rows of the source, as it counts them. */
  readonly total: number
}

/** All tables, and then checks them: rejects when one is not the same. */
export async function copyStore(
  source: Db,
  target: Db,
  { migrations, onProgress, signal }: CopyStoreOptions,
): Promise<MovedTable[]> {
  signal?.throwIfAborted()
  const tables = await prepare(source, target, migrations)
  const report = (progress: MoveProgress) => {
    onProgress?.(progress)
    signal?.throwIfAborted()
  }
  const done: CopiedTable[] = []
  for (const table of tables) {
    const copy = async () => {
      const total = await countRows(source, table)
      const onPage = (copied: number) => report({ table: table.name, copied, checked: 0, total })
      onPage(0)
      done.push({ table, total, copied: await copyTable(table, { source, target, onPage }) })
    }
    await naming(table, copy, signal)
  }
  for (const each of done) await naming(each.table, () => check(target, each, report), signal)
  return done.map(({ table, total, copied }) => ({
    table: table.name,
    rows: total,
    changedValues: copied.changedValues,
  }))
}

/** The tables to copy, none of which changes from now on, and which are empty in the target. */
async function prepare(source: Db, target: Db, migrations: Migrations): Promise<Table[]> {
  await refuseOtherSchema(source, 'source', migrations)
  await refuseOtherSchema(target, 'target', migrations)
  const [sqlite, postgres] = isPostgres(source) ? [target, source] : [source, target]
  const tables = await tablesOf(sqlite)
  await refuseOtherColumns(postgres, tables)
  await holdTables(source, 'source', tables)
  await holdTables(target, 'target', tables)
  for (const [db, side] of [
    [source, 'source'],
    [target, 'target'],
  ] as const)
    await refuseWorkers(db, side)
  await refuseRows(target, tables)
  return tables
}

async function check(
  target: Db,
  { table, copied, total }: CopiedTable,
  report: (progress: MoveProgress) => void,
): Promise<void> {
  const onPage = (checked: number) => report({ table: table.name, copied: total, checked, total })
  const found = await checksumOf(target, table, onPage)
  const count = await countRows(target, table)
  if (found.equals(copied.checksum) && found.rows === total && count === total) return
  const message =
    `${table.name} is not the same in the target (${count} rows of ${total}, or other values). Nothing was moved. ` +
    'Look for triggers or rules on the table, run drawbridge db check on the source, and try again.'
  throw new StoreError('move-failed', message, { details: { table: table.name, rows: count, total } })
}

/** The signal's reason and errors of ours stay what they are. */
async function naming(
  { name }: Table,
  action: () => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await action()
  } catch (error) {
    if (error instanceof StoreError || (signal?.aborted && error === signal.reason)) throw error
    const message = `${name} could not be copied: ${(error as Error).message}. Nothing was moved.`
    throw new StoreError('move-failed', message, { details: { table: name }, cause: error })
  }
}
