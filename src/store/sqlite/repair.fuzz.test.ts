// Whatever happens to the files: the database opens, nothing is wrong with it, and each row was in the damaged file or in
// the backup.
import { copyFile, mkdir, readdir, rm, stat, truncate } from 'node:fs/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeCopy, overwrite } from '../fixtures/damaged-store.ts'
import { garbage } from '../fixtures/garbage.ts'
import { eventRow, fill, taskRow } from '../fixtures/sample-rows.ts'
import { makeScratchStore, type ScratchStore } from '../fixtures/scratch-store.ts'
import type { Database } from '../schema.ts'
import { checkDatabase } from './check.ts'
import type { OpenDatabase } from './database.ts'
import { DatabaseSync } from './sqlite.ts'
import { PAGE_BYTES } from './sqlite-file.ts'

/** Enough to notice a mistake; more were run once. */
const RUNS = 15
const TABLES = ['tasks', 'task_labels', 'events', 'approvals', 'audit'] as const

let origin: ScratchStore
let store: ScratchStore
/** A copy of the database from when it had fewer rows, and others. */
let backup: string
/** All rows of the database and of the backup. */
let known: Set<string>
let backedUp: Set<string>
let size: number

beforeAll(async () => {
  origin = await makeScratchStore()
  const { db, reader } = await origin.open()
  await fill(db, { tasks: 10, events: 25 })
  await db.updateTable('tasks').set({ title: 'as it was' }).where('id', '<', 'task-0005').execute()
  await db
    .insertInto('tasks')
    .values(taskRow('deleted since', { last_seq: 1 }))
    .execute()
  await db.insertInto('events').values(eventRow('deleted since', 1)).execute()
  backup = await makeCopy(origin.file, 0)
  backedUp = new Set(await rowsOf(reader))
  await db.deleteFrom('tasks').execute()
  await db.deleteFrom('events').execute()
  await db.deleteFrom('audit').execute()
  await fill(db, { tasks: 15, events: 25 })
  known = new Set([...backedUp, ...(await rowsOf(reader))])
  await origin.close()
  size = (await stat(origin.file)).size
  store = await makeScratchStore()
})

afterAll(async () => {
  await store.remove()
  await origin.remove()
})

const isBackedUp = fc.boolean()

it('gives only rows that were stored when whole pages are garbage or zeros', async () => {
  const page = fc.record({ part: fc.double({ min: 0, max: 0.999, noNaN: true }), seed: fc.nat(3) })
  await fc.assert(
    fc.asyncProperty(fc.array(page, { minLength: 1, maxLength: 6 }), isBackedUp, async (pages, hasBackup) => {
      await damage(hasBackup, async (file) => {
        for (const { part, seed } of pages) {
          const position = Math.floor((part * size) / PAGE_BYTES) * PAGE_BYTES
          await overwrite(file, position, seed === 0 ? Buffer.alloc(PAGE_BYTES) : garbage(PAGE_BYTES, seed))
        }
      })
      const opened = await store.open()
      for (const row of await rowsOf(opened.reader)) expect(known).toContain(row)
      await expectWhole(opened)
    }),
    { numRuns: RUNS },
  )
})

it('gives only rows that are in the damaged file or the backup, whatever bytes were changed and wherever it was cut', async () => {
  const change = fc.record({
    position: fc.double({ min: 0, max: 0.999, noNaN: true }),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 40 }),
  })
  const keep = fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true }))
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 12 }),
      keep,
      isBackedUp,
      async (changes, kept, hasBackup) => {
        await damage(hasBackup, async (file) => {
          for (const { position, bytes } of changes)
            await overwrite(file, Math.floor(position * size), Buffer.from(bytes))
          await truncate(file, Math.floor(size * kept))
        })
        const opened = await store.open()
        if (opened.repair) {
          const allowed = new Set([...backedUp, ...(await rowsInDamaged(opened.repair.setAside))])
          for (const row of await rowsOf(opened.reader)) expect(allowed).toContain(row)
          await expectWhole(opened)
        }
        await store.close()
        expect((await store.open()).repair).toBeNull()
      },
    ),
    { numRuns: RUNS },
  )
})

it('gives all that was committed up to where the log was cut', async () => {
  const { db } = await origin.open()
  for (let seq = 26; seq <= 90; seq++)
    await db.insertInto('events').values(eventRow('task-0000', seq)).execute()
  const wal = (await stat(`${origin.file}-wal`)).size
  await fc.assert(
    fc.asyncProperty(fc.nat(wal), async (kept) => {
      await damage(false, async (file) => {
        await copyFile(`${origin.file}-wal`, `${file}-wal`)
        await truncate(`${file}-wal`, kept)
      })
      const { reader, repair } = await store.open()
      expect(repair).toBeNull()
      const events = reader
        .selectFrom('events')
        .select('seq')
        .where('task_id', '=', 'task-0000')
        .orderBy('seq')
      const sequences = (await events.execute()).map(({ seq }) => seq)
      expect(sequences).toEqual(sequences.map((_, index) => index + 1))
      expect(sequences.length).toBeGreaterThanOrEqual(25)
    }),
    { numRuns: RUNS },
  )
})

/** A fresh copy of the same database each time. */
async function damage(hasBackup: boolean, how: (file: string) => Promise<void>): Promise<void> {
  await store.close()
  await rm(store.dataDir, { recursive: true, force: true })
  await mkdir(store.dataDir)
  await copyFile(origin.file, store.file)
  if (hasBackup) await copyFile(backup, `${store.file}${backup.slice(origin.file.length)}`)
  await how(store.file)
}

async function rowsOf(reader: OpenDatabase['reader']): Promise<string[]> {
  const rows: string[] = []
  for (const table of TABLES)
    for (const row of await reader.selectFrom(table).selectAll().execute()) rows.push(textOf(table, row))
  return rows
}

/** Each row that SQLite finds by its row id, one at a time, in a copy that it is made to open. */
async function rowsInDamaged(setAside: string): Promise<Set<string>> {
  const copy = `${setAside}.looked-at`
  const rows = new Set<string>()
  await copyFile(setAside, copy)
  const whole = (await stat(copy)).size
  await truncate(copy, whole - (whole % PAGE_BYTES))
  const database = new DatabaseSync(copy, { defensive: false })
  for (const table of TABLES)
    for (let rowId = 1; rowId <= 1_000; rowId++)
      try {
        if (rowId === 1) database.exec('pragma writable_schema = on')
        const row = database.prepare(`select * from ${table} not indexed where rowid = ?`).get(rowId)
        if (row) rows.add(textOf(table, row))
      } catch {
        // This row is lost.
      }
  database.close()
  await rm(copy)
  return rows
}

/** A repair may raise a task's last sequence to that of its newest event. */
function textOf(table: keyof Database, row: object): string {
  return JSON.stringify([table, { ...row, ...('last_seq' in row && { last_seq: 'any' }) }])
}

async function expectWhole(opened: OpenDatabase): Promise<void> {
  expect(await checkDatabase(opened.file)).toEqual([])
  if (opened.repair) expect(await readdir(store.dataDir)).toContainEqual(expect.stringContaining('damaged'))
}
