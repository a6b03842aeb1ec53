// Copies a whole store from SQLite to PostgreSQL or back, in one transaction of the target, and checks the copy before it
// is committed. Frames that are too large for the log are files in the data folder, and stay there.
import type { Db } from '../db.ts'
import { isPostgres } from '../dialect.ts'
import type { Migrations } from '../migrate.ts'
import { MIGRATIONS } from '../migrations/index.ts'
import { StoreError } from '../store-errors.ts'
import { type Copied, checksumOf, copyTable, countRows } from './copy-table.ts'
import { holdTables, refuseOtherColumns, refuseOtherSchema, refuseRows } from './sides.ts'
import { type Table, tablesOf } from './tables.ts'

export interface MoveProgress {
  readonly table: string
  readonly copied: number
  /** How many of the copied rows have been read back. Begins when all tables are copied. */
  readonly checked: number
  readonly total: number
}

export interface MoveOptions {
  /** Opened by `openDatabase` or `openPostgres`; one side of each kind. */
  readonly from: { readonly db: Db }
  readonly to: { readonly db: Db }
  readonly migrations?: Migrations | undefined
  readonly onProgress?: ((progress: MoveProgress) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

export interface MovedTable {
  readonly table: string
  readonly rows: number
  /** Values with U+0000, which PostgreSQL has as `␀` (U+2400). */
  readonly changedValues: number
}

/**
 * Rejects with a `StoreError`, and the target is as it was: `bad-request`, `database-too-new`, `schema-not-newest`,
 * `database-in-use`, `target-not-empty`, `move-failed`; or with the signal's reason. The source is never changed. Services
 * must be stopped: what one writes to the source afterwards is not in the target.
 */
export async function moveStore(options: MoveOptions): Promise<readonly MovedTable[]> {
  const [from, to] = [options.from.db, options.to.db]
  if (isPostgres(from) === isPostgres(to))
    throw new StoreError(
      'bad-request',
      'a store moves between SQLite and PostgreSQL. To copy one of the same kind, use drawbridge db backup or pg_dump.',
    )
  const outcome: Outcome = { moved: null, failure: null }
  try {
    await from
      .transaction()
      .setIsolationLevel('read committed')
      .setAccessMode('read only')
      .execute((source) => moveInto(to, source, { options, outcome }))
  } catch (error) {
    // A connection can be lost when it only has to end the source's transaction.
    if (outcome.moved === null) throw outcome.failure ?? error
  }
  return outcome.moved!
}

/** Kept apart from what `transaction` throws: that can be about a rollback on a connection that is gone. */
interface Outcome {
  moved: readonly MovedTable[] | null
  failure: unknown
}

async function moveInto(
  to: Db,
  source: Db,
  { options, outcome }: { options: MoveOptions; outcome: Outcome },
): Promise<void> {
  let copied: readonly MovedTable[] | null = null
  const copy = async (target: Db) => {
    try {
      copied = await copyAll(source, target, options)
    } catch (error) {
      outcome.failure = error
      throw error
    }
  }
  try {
    await to.transaction().setIsolationLevel('read committed').execute(copy)
  } catch (error) {
    if (copied !== null) outcome.failure = uncertain(error)
    throw error
  }
  outcome.moved = copied
}

function uncertain(cause: unknown): StoreError {
  const message =
    `the target did not confirm the end of the move: ${(cause as Error).message}. ` +
    'Move again: if the target is refused because it has rows, it has all of them.'
  return new StoreError('move-failed', message, { cause })
}

async function copyAll(source: Db, target: Db, options: MoveOptions): Promise<MovedTable[]> {
  const { migrations = MIGRATIONS, signal, onProgress } = options
  signal?.throwIfAborted()
  const tables = await prepare(source, target, migrations)
  const report = (progress: MoveProgress) => {
    onProgress?.(progress)
    signal?.throwIfAborted()
  }
  const done: { table: Table; copied: Copied; total: number }[] = []
  for (const table of tables) {
    const copied = await naming(table, async () => {
      const total = await countRows(source, table)
      const onPage = (copied: number) => report({ table: table.name, copied, checked: 0, total })
      onPage(0)
      return { table, total, copied: await copyTable(table, { source, target, onPage }) }
    })
    done.push(copied)
  }
  for (const each of done) await naming(each.table, () => check(target, each, report))
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
  await refuseRows(target, tables)
  return tables
}

async function check(
  target: Db,
  { table, copied, total }: { table: Table; copied: Copied; total: number },
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
async function naming<T>({ name }: Table, action: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await action()
  } catch (error) {
    if (error instanceof StoreError || (signal?.aborted && error === signal.reason)) throw error
    const message = `${name} could not be copied: ${(error as Error).message}. Nothing was moved.`
    throw new StoreError('move-failed', message, { details: { table: name }, cause: error })
  }
}
