// Copies a whole store from SQLite to PostgreSQL or back, in one transaction of the target, and checks the copy before it
// is committed.
import type { Db } from '../db.ts'
import { isPostgres } from '../dialect.ts'
import { MIGRATIONS } from '../migrations/index.ts'
import { StoreError } from '../store-errors.ts'
import { copyFrames } from './copy-frames.ts'
import { copyKeptFiles } from './copy-kept-files.ts'
import { type CopyStoreOptions, copyStore, type MovedTable } from './copy-store.ts'

export interface MoveOptions extends Partial<CopyStoreOptions> {
  /** Opened by `openDatabase` or `openPostgres`; one side of each kind. */
  readonly from: { readonly db: Db }
  readonly to: { readonly db: Db }
  /** Where frames that are too large for the log are beside SQLite. Without it they are not copied. */
  readonly framesDir?: string | undefined
  /** Where the bytes of deliverables are beside SQLite. Without it they are not copied. */
  readonly deliverablesDir?: string | undefined
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
    // After the target's commit only the source's transaction had to end: a connection lost there changes nothing.
    if (outcome.moved === null) throw outcome.failure ?? error
  }
  return outcome.moved!
}

/** The first error. `transaction` may throw another: that of the rollback on a lost connection. */
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
      const tables = await copyStore(source, target, { migrations: MIGRATIONS, ...options })
      const { framesDir: folder, deliverablesDir, onProgress, signal } = options
      const frames =
        folder === undefined ? [] : [await copyFrames(source, target, { folder, onProgress, signal })]
      if (deliverablesDir !== undefined)
        await copyKeptFiles(source, target, { folder: deliverablesDir, signal })
      copied = [...tables, ...frames]
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
