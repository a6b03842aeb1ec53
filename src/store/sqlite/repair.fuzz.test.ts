// Whatever happens to the files: it opens, what it gives was once stored, and the next start finds nothing wrong.
import { copyFile, mkdir, open, readdir, rm, stat, truncate } from 'node:fs/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { garbage } from '../fixtures/garbage.ts'
import { eventRow, fill } from '../fixtures/sample-rows.ts'
import { makeScratchStore, type ScratchStore } from '../fixtures/scratch-store.ts'
import { checkDatabase } from './check.ts'
import type { OpenDatabase } from './database.ts'
import { PAGE_BYTES } from './sqlite-file.ts'

/** Enough to notice a mistake; more were run once. */
const RUNS = 15

let origin: ScratchStore
let store: ScratchStore
let known: Set<string>
let size: number

beforeAll(async () => {
  origin = await makeScratchStore()
  const opened = await origin.open()
  await fill(opened.db, { tasks: 15, events: 25 })
  known = new Set(await rowsOf(opened))
  await origin.close()
  size = (await stat(origin.file)).size
  store = await makeScratchStore()
})

afterAll(async () => {
  await store.remove()
  await origin.remove()
})

it('gives only rows that were stored when whole pages are garbage or zeros', async () => {
  const page = fc.record({ part: fc.double({ min: 0, max: 0.999, noNaN: true }), seed: fc.nat(3) })
  await fc.assert(
    fc.asyncProperty(fc.array(page, { minLength: 1, maxLength: 6 }), async (pages) => {
      await damage(async (file) => {
        for (const { part, seed } of pages) {
          const position = Math.floor((part * size) / PAGE_BYTES) * PAGE_BYTES
          await overwrite(file, position, seed === 0 ? Buffer.alloc(PAGE_BYTES) : garbage(PAGE_BYTES, seed))
        }
      })
      const opened = await store.open()
      for (const row of await rowsOf(opened)) expect(known).toContain(row)
      await expectWhole(opened)
    }),
    { numRuns: RUNS },
  )
})

it('opens whatever bytes were changed and wherever it was cut', async () => {
  const change = fc.record({
    position: fc.double({ min: 0, max: 0.999, noNaN: true }),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 40 }),
  })
  const keep = fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true }))
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 12 }), keep, async (changes, kept) => {
      await damage(async (file) => {
        for (const { position, bytes } of changes)
          await overwrite(file, Math.floor(position * size), Buffer.from(bytes))
        await truncate(file, Math.floor(size * kept))
      })
      const { repair } = await store.open()
      if (repair) await stat(repair.setAside)
      await store.close()
      const again = await store.open()
      expect(again.repair).toBeNull()
    }),
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
      await damage(async (file) => {
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
async function damage(how: (file: string) => Promise<void>): Promise<void> {
  await store.close()
  await rm(store.dataDir, { recursive: true, force: true })
  await mkdir(store.dataDir)
  await copyFile(origin.file, store.file)
  await how(store.file)
}

async function rowsOf({ reader }: OpenDatabase): Promise<string[]> {
  const tasks = await reader.selectFrom('tasks').selectAll().execute()
  const events = await reader.selectFrom('events').selectAll().execute()
  const approvals = await reader.selectFrom('approvals').selectAll().execute()
  return [...tasks, ...events, ...approvals].map((row) => JSON.stringify(row))
}

async function expectWhole(opened: OpenDatabase): Promise<void> {
  const findings = await checkDatabase(opened.file)
  expect(findings.filter(({ message }) => !message.includes('audit does not say'))).toEqual([])
  if (opened.repair) expect(await readdir(store.dataDir)).toContainEqual(expect.stringContaining('damaged'))
}

async function overwrite(file: string, position: number, bytes: Buffer): Promise<void> {
  const handle = await open(file, 'r+')
  await handle.write(bytes, 0, bytes.length, position)
  await handle.close()
}
