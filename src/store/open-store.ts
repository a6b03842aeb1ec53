// The store of a service: SQLite in its data folder, or PostgreSQL when it is given an address. Either way one service
// has the data folder to itself, because token, app-server records and trusted folders are files in it.
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Db } from './db.ts'
import { type OpenPostgres, openPostgres } from './postgres/open-postgres.ts'
import { reachability } from './postgres/reachable.ts'
import { databaseFile, openDatabase } from './sqlite/database.ts'
import { takeLock } from './sqlite/lock.ts'
import { makePrivate } from './sqlite/private-files.ts'
import type { Repair } from './sqlite/repair.ts'
import { sizeOf } from './sqlite/soundness.ts'
import { filesOf } from './sqlite/sqlite-file.ts'
import { unusableIfRefused } from './sqlite/unusable.ts'
import { StoreError } from './store-errors.ts'

export interface Store {
  readonly kind: 'sqlite' | 'postgres'
  readonly db: Db
  /** For pages, lists and searches: never waits for a transaction of `db`, and sees what is committed at once. */
  readonly reader: Db
  /** What was found damaged and what became of it; null when all was well. People should be told. */
  readonly repair: Repair | null
  /** From which schema it was brought to this one; null when it had it already. PostgreSQL is not copied before. */
  readonly migrated: { readonly from: string; readonly to: string; readonly backup: string | null } | null
  /** For people: the file, or the address without its password. */
  readonly shownPlace: string
  /** Of SQLite. */
  readonly file: string | null
  /** The SQLite file of this data folder, when PostgreSQL is used and has no task yet: people may miss theirs. */
  readonly unusedFile: string | null
  /** Whether it answers now. Never rejects. */
  isReachable(): Promise<boolean>
  /** Where we can be reached, for a second service that wants this data folder. */
  announce(url: string): Promise<void>
  /** Waits for what was asked for before, then lets go of the data folder. */
  close(): Promise<void>
}

export interface OpenStoreOptions {
  readonly dataDir: string
  /** Of PostgreSQL; null: SQLite. */
  readonly url: string | null
  readonly now: () => number
  /** How long to wait for a PostgreSQL that cannot be reached or has no connection left. */
  readonly waitMs?: number | undefined
  /** A line for people, at once and every few seconds, while it waits. */
  readonly onWaiting?: ((line: string) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** Machines that start together: the database's may take longer. */
const WAIT_MS = 30_000
const RETRY_MS = 500
const TELL_MS = 5_000

/** Rejects as `openDatabase` and `openPostgres` do, or with the signal's reason; nothing is left open then. */
export async function openStore(options: OpenStoreOptions): Promise<Store> {
  const { dataDir, url, now } = options
  if (url !== null) return openShared(url, options)
  const database = await openDatabase({ dataDir, now })
  const isReachable = async () => true
  return { kind: 'sqlite', shownPlace: database.file, unusedFile: null, isReachable, ...database }
}

async function openShared(url: string, options: OpenStoreOptions): Promise<Store> {
  const folder = path.resolve(options.dataDir)
  const lock = await lockFolder(folder, options.now)
  try {
    const { shownUrl, db, reader, migrated, close } = await openWaiting(url, options)
    return {
      kind: 'postgres',
      db,
      reader,
      repair: null,
      migrated: migrated && { ...migrated, backup: null },
      shownPlace: shownUrl,
      file: null,
      unusedFile: await unusedFile(folder, reader),
      isReachable: reachability(reader),
      announce: (at) => lock.announce(at),
      close: once(async () => {
        await close()
        await lock.release()
      }),
    }
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function unusedFile(folder: string, reader: Db): Promise<string | null> {
  const file = databaseFile({ dataDir: folder })
  if ((await sizeOf(file)) === null) return null
  return (await reader.selectFrom('tasks').select('id').limit(1).executeTakeFirst()) ? null : file
}

/** The lock that a service on SQLite takes: one of each kind would share the files as well. */
async function lockFolder(folder: string, now: () => number) {
  const file = databaseFile({ dataDir: folder })
  try {
    await makePrivate(filesOf(file))
    return await takeLock(file, now, { shown: folder })
  } catch (error) {
    throw unusableIfRefused(file, error)
  }
}

async function openWaiting(url: string, options: OpenStoreOptions): Promise<OpenPostgres> {
  const { waitMs = WAIT_MS, onWaiting, signal } = options
  const until = performance.now() + waitMs
  let tellAt = 0
  for (;;) {
    signal?.throwIfAborted()
    try {
      return await openPostgres({ url })
    } catch (error) {
      const now = performance.now()
      if (!isWorthWaiting(error) || now + RETRY_MS > until) throw error
      if (now >= tellAt) {
        onWaiting?.(`Waiting for the database, ${Math.ceil((until - now) / 1000)} s more: ${error.message}`)
        tellAt = now + TELL_MS
      }
      await delay(RETRY_MS, undefined, { signal }).catch(() => {})
    }
  }
}

function isWorthWaiting(error: unknown): error is StoreError {
  return error instanceof StoreError && error.retryable
}

function once(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null
  return () => (done ??= action())
}
