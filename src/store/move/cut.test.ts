// A move that does not come to its end leaves the target empty, and can be done again.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freshDatabase } from '../../../test/support/postgres/fresh-database.ts'
import type { Db } from '../db.ts'
import { countOf, eventRow, taskRow } from '../fixtures/sample-rows.ts'
import { makeScratchStore } from '../fixtures/scratch-store.ts'
import { openPostgres } from '../postgres/open-postgres.ts'
import { insertEvents } from '../rows/insert-events.ts'
import type { MoveProgress } from './copy-store.ts'
import { moveStore } from './move-store.ts'
import { tablesOf } from './tables.ts'

const DIRECTIONS = [
  { name: 'from SQLite to PostgreSQL', direction: 'to-postgres' },
  { name: 'from PostgreSQL to SQLite', direction: 'to-sqlite' },
] as const
type Direction = (typeof DIRECTIONS)[number]['direction']

const EVENTS = 5_000
const AUDIT = { at: 1, approval_id: 'a', task_id: 'a', kind: 'command', title: 'x', decided_by: 'person' }

/** One connection to PostgreSQL, so that its session is known. */
async function makeStores(direction: Direction) {
  const scratch = await makeScratchStore()
  onTestFinished(() => scratch.remove())
  const url = await freshDatabase('migrated')
  const open = async () => {
    const postgres = await openPostgres({ url, poolSize: 1 })
    onTestFinished(() => postgres.close())
    const sqlite = await scratch.open()
    const [from, to] = direction === 'to-postgres' ? [sqlite, postgres] : [postgres, sqlite]
    const close = async () => {
      await scratch.close()
      await postgres.close()
    }
    return { sqlite: sqlite.db, postgres: postgres.db, from, to, close }
  }
  return { dataDir: scratch.dataDir, url, open }
}

async function addRows(db: Db): Promise<void> {
  await db.insertInto('tasks').values(taskRow('a')).execute()
  await db.insertInto('audit').values([AUDIT, AUDIT]).execute()
  const rows = Array.from({ length: EVENTS }, (_, index) => eventRow('a', index + 1))
  await db.transaction().execute((trx) => insertEvents(trx, rows))
}

async function expectEmpty(sqlite: Db, to: Db): Promise<void> {
  for (const { name } of await tablesOf(sqlite)) {
    const { rows } = await sql`select 1 from ${sql.table(name)}`.execute(to)
    expect(rows, name).toEqual([])
  }
}

function isInEvents({ table, copied, checked }: MoveProgress): boolean {
  return table === 'events' && copied > 0 && copied < EVENTS && checked === 0
}

function isInCheck({ table, checked }: MoveProgress): boolean {
  return table === 'events' && checked > 0
}

const END_SESSION = fileURLToPath(new URL('../fixtures/end-session.ts', import.meta.url))
const KILLED_MOVE = fileURLToPath(new URL('../fixtures/killed-move.ts', import.meta.url))

async function sessionOf(postgres: Db): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(postgres)
  return rows[0]!.pid
}

describe.each(DIRECTIONS)('$name', ({ direction }) => {
  it.each([
    ['rows are copied', isInEvents],
    ['they are checked', isInCheck],
  ])('a signal while %s', async (_, isMoment) => {
    const { from, to, sqlite } = await (await makeStores(direction)).open()
    await addRows(from.db)
    const stop = new AbortController()
    const reason = new Error('stopped by the user')
    let reports = 0
    const onProgress = (progress: MoveProgress) => {
      if (stop.signal.aborted) reports++
      if (isMoment(progress)) stop.abort(reason)
    }
    await expect(moveStore({ from, to, onProgress, signal: stop.signal })).rejects.toBe(reason)
    expect(reports).toBe(0)
    await expectEmpty(sqlite, to.db)
    await moveStore({ from, to })
    expect(await countOf(to.db, 'events')).toBe(EVENTS)
  })

  it('a signal from before: nothing is begun', async () => {
    const { from, to } = await (await makeStores(direction)).open()
    const reason = new Error('stopped by the user')
    const seen: MoveProgress[] = []
    const onProgress = (progress: MoveProgress) => seen.push(progress)
    await expect(moveStore({ from, to, onProgress, signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(seen).toEqual([])
  })

  it.each([
    ['rows are copied', isInEvents],
    ['they are checked', isInCheck],
  ])('a connection to the target or the source that ends while %s', async (_, isMoment) => {
    const { url, open } = await makeStores(direction)
    const { from, to, sqlite, postgres } = await open()
    await addRows(from.db)
    const pid = await sessionOf(postgres)
    let isEnded = false
    const onProgress = (progress: MoveProgress) => {
      if (isEnded || !isMoment(progress)) return
      isEnded = true
      execFileSync(process.execPath, [END_SESSION, url, String(pid)])
    }
    const moving = moveStore({ from, to, onProgress })
    if (direction === 'to-sqlite' && isMoment === isInCheck) {
      // All rows have been read: the source is not needed any more.
      await moving
    } else {
      await expect(moving).rejects.toMatchObject({
        code: 'move-failed',
        details: { table: 'events' },
        message: expect.stringMatching(/^events could not be copied: .* Nothing was moved\.$/),
      })
      await expectEmpty(sqlite, to.db)
      await moveStore({ from, to })
    }
    expect(isEnded).toBe(true)
    expect(await countOf(to.db, 'events')).toBe(EVENTS)
  })

  it('a process that is killed', async () => {
    const { dataDir, url, open } = await makeStores(direction)
    const before = await open()
    await addRows(before.from.db)
    await before.close()
    const child = spawn(process.execPath, [KILLED_MOVE, dataDir, url, direction], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
    const { from, to, sqlite } = await open()
    await expectEmpty(sqlite, to.db)
    await moveStore({ from, to })
    expect(await countOf(to.db, 'events')).toBe(EVENTS)
    expect((await to.db.insertInto('audit').values(AUDIT).returning('id').executeTakeFirst())?.id).toBe(3)
  })

  it('a session that is writing to the database in PostgreSQL: refused', async () => {
    const { url, open } = await makeStores(direction)
    const { from, to, sqlite } = await open()
    const other = await openPostgres({ url })
    onTestFinished(() => other.close())
    const writing = await other.db.startTransaction().execute()
    await writing.insertInto('tasks').values(taskRow('other')).execute()
    await expect(moveStore({ from, to })).rejects.toMatchObject({
      code: 'database-in-use',
      retryable: true,
      details: { side: direction === 'to-postgres' ? 'target' : 'source' },
      message: expect.stringContaining('Stop every service that uses it'),
    })
    await writing.rollback().execute()
    await expectEmpty(sqlite, to.db)
    await moveStore({ from, to })
  })

  it('a session that wants to write meanwhile waits for the end', async () => {
    const { url, open } = await makeStores(direction)
    const { from, to } = await open()
    await addRows(from.db)
    const other = await openPostgres({ url })
    onTestFinished(() => other.close())
    const writing: Promise<void>[] = []
    let isWritten = false
    const seen: boolean[] = []
    const write = async () => {
      await other.db.insertInto('tasks').values(taskRow('late')).execute()
      isWritten = true
    }
    const onProgress = () => {
      seen.push(isWritten)
      if (writing.length === 0) writing.push(write())
    }
    await moveStore({ from, to, onProgress })
    await Promise.all(writing)
    expect(seen).not.toContain(true)
    const ids = await to.db.selectFrom('tasks').select('id').orderBy('id').execute()
    expect(ids.map(({ id }) => id)).toEqual(direction === 'to-postgres' ? ['a', 'late'] : ['a'])
  })
})

it('a connection that is lost at the commit: the error says how to find out', async () => {
  const { from, to, sqlite } = await (await makeStores('to-postgres')).open()
  await addRows(from.db)
  await sql`create function ending() returns trigger language plpgsql as
    $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$`.execute(to.db)
  await sql`create constraint trigger ending after insert on tasks deferrable initially deferred
    for each row execute function ending()`.execute(to.db)
  await expect(moveStore({ from, to })).rejects.toMatchObject({
    code: 'move-failed',
    message: expect.stringMatching(
      /^the target did not confirm the end of the move: .* it has all of them\.$/,
    ),
  })
  await expectEmpty(sqlite, to.db)
  await sql`drop trigger ending on tasks`.execute(to.db)
  await moveStore({ from, to })
  expect(await countOf(to.db, 'events')).toBe(EVENTS)
})
