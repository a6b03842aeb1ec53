// A power cut, a full disk, a bad sector: what is left of the files afterwards, and what is made of it.
import {
  copyFile,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { garbage } from '../fixtures/garbage.ts'
import { countOf, eventRow, fill, taskRow } from '../fixtures/sample-rows.ts'
import { makeScratchStore, type ScratchStore } from '../fixtures/scratch-store.ts'
import { MIGRATIONS } from '../migrations/index.ts'
import { checkDatabase } from './check.ts'
import type { OpenDatabase } from './database.ts'

const TASKS = 40
const EVENTS = 25
const PAGE = 4096
/** Committed and in the file. */
const ALL = { tasks: TASKS, events: TASKS * EVENTS }

describe('the write-ahead log', () => {
  it('cut off in the middle costs what was in it, and nothing else', async () => {
    const { store, wal } = await afterPowerCut({ late: 300 })
    await truncate(wal, Math.floor((await stat(wal)).size / 2))
    const opened = await store.open()
    expect(opened.repair).toBeNull()
    await expectSound(store, opened, ALL)
    const late = await lateEvents(opened)
    expect(late).toBeGreaterThan(0)
    expect(late).toBeLessThan(300)
  })

  it('with garbage at its end costs nothing', async () => {
    const { store, wal } = await afterPowerCut({ late: 50 })
    await appendGarbage(wal, 3 * PAGE + 17)
    const opened = await store.open()
    expect(opened.repair).toBeNull()
    await expectSound(store, opened, ALL)
    expect(await lateEvents(opened)).toBe(50)
  })

  it('that is all garbage costs what was in it', async () => {
    const { store, wal } = await afterPowerCut({ late: 50 })
    await writeFile(wal, garbage((await stat(wal)).size))
    const opened = await store.open()
    expect(opened.repair).toBeNull()
    await expectSound(store, opened, ALL)
    expect(await lateEvents(opened)).toBe(0)
  })

  it('cut off within its header costs what was in it', async () => {
    const { store, wal } = await afterPowerCut({ late: 50 })
    await truncate(wal, 20)
    const opened = await store.open()
    expect(opened.repair).toBeNull()
    await expectSound(store, opened, ALL)
  })

  it('is read though its shared memory file is garbage', async () => {
    const { store, file } = await afterPowerCut({ late: 50 })
    await writeFile(`${file}-shm`, garbage(32 * 1024))
    const opened = await store.open()
    expect(opened.repair).toBeNull()
    await expectSound(store, opened, ALL)
    expect(await lateEvents(opened)).toBe(50)
  })
})

describe('a file whose end is missing', () => {
  it.each([1, 100, PAGE, PAGE + 1, 8 * PAGE])(
    'by %d bytes is salvaged, but for what was there',
    async (bytes) => {
      const { store, file } = await filled()
      await truncate(file, (await stat(file)).size - bytes)
      const opened = await store.open()
      await expectHonest(store, opened)
      const { tasks, events } = opened.repair!.salvaged
      expect(tasks).toBe(TASKS)
      expect(events).toBeGreaterThan(ALL.events - (Math.ceil(bytes / PAGE) + 1) * 20)
    },
  )

  it('loses nothing when the log still has it', async () => {
    const { store, file } = await afterPowerCut({ late: 50 })
    await truncate(file, (await stat(file)).size - PAGE)
    const opened = await store.open()
    if (opened.repair) await expectHonest(store, opened)
    expect(await countOf(opened.reader, 'tasks')).toBe(TASKS + 1)
    expect(await lateEvents(opened)).toBe(50)
  })
})

describe('a file', () => {
  it('of no length is set aside, and a new one made', async () => {
    const { store, file } = await filled()
    await truncate(file, 0)
    const opened = await store.open()
    await expectHonest(store, opened)
    expect(opened.repair).toMatchObject({ damage: 'the file is empty', salvaged: { tasks: 0, events: 0 } })
  })

  it('of no length goes on with what the log has', async () => {
    const { store, file } = await afterPowerCut({ late: 50 })
    await truncate(file, 0)
    const opened = await store.open()
    await expectHonest(store, opened)
    expect(await readdir(store.dataDir)).toContainEqual(expect.stringMatching(/damaged-.*-wal$/))
  })

  it('that is gone while its log is there does not get that log for its own', async () => {
    const { store, file } = await afterPowerCut({ late: 50 })
    await rm(file)
    const opened = await store.open()
    expect(opened.repair?.damage).toBe('the file is gone, what was last written is not')
    expect(await checkDatabase(store.file)).toEqual([])
  })

  it('that never was a database is set aside as it is', async () => {
    const { store, file } = await filled()
    const text = 'Dear diary, this is no database. '.repeat(1_000)
    await writeFile(file, text)
    const opened = await store.open()
    expect(await readFile(opened.repair!.setAside, 'utf8')).toBe(text)
    expect(opened.repair).toMatchObject({ damage: 'file is not a database', salvaged: { tasks: 0 } })
    await expectSound(store, opened, { tasks: 0, events: 0 })
  })

  it('whose first page is garbage gives its rows all the same', async () => {
    const { store, file } = await filled()
    await overwrite(file, 0, garbage(PAGE))
    const opened = await store.open()
    await expectHonest(store, opened)
    expect(opened.repair!.salvaged).toMatchObject(ALL)
    expect(opened.repair!.incomplete).toContain('events')
  })

  it('with bad pages here and there gives the rows of all others', async () => {
    const { store, file } = await filled()
    const pages = (await stat(file)).size / PAGE
    for (const part of [0.4, 0.6, 0.8]) await overwrite(file, Math.floor(pages * part) * PAGE, garbage(PAGE))
    const opened = await store.open()
    await expectHonest(store, opened)
    expect(opened.repair!.salvaged.events).toBeGreaterThan(ALL.events * 0.9)
  })

  it('of a newer Drawbridge is not touched, damaged or not', async () => {
    const { store, file } = await filled()
    await (await store.open({ migrations: { ...MIGRATIONS, '999-future': { up: async () => {} } } })).close()
    await truncate(file, (await stat(file)).size - PAGE)
    const before = await readFile(file)
    await expect(store.open()).rejects.toMatchObject({ code: 'database-too-new' })
    expect(Buffer.compare(await readFile(file), before)).toBe(0)
    expect(await readdir(store.dataDir)).not.toContainEqual(expect.stringMatching(/damaged|salvag/))
  })

  it('that may not be read is not taken for damaged', async () => {
    const { store, file } = await filled()
    await rename(file, `${file}.real`)
    await mkdir(file)
    await expect(store.open()).rejects.toMatchObject({ code: 'database-unusable' })
  })
})

describe('a repair', () => {
  it('that was cut short is finished by the next start', async () => {
    const { store, file } = await filled()
    await truncate(file, (await stat(file)).size - PAGE)
    await copyFile(file, `${file}.kept`)
    const { repair } = await store.open()
    await store.close()
    // As it is after the log and the damaged file were moved, and before the new one was.
    await rename(file, `${file}.salvaged`)
    await writeFile(`${file}.repair.json`, JSON.stringify(repair))
    const opened = await store.open()
    expect(opened.repair).toEqual(repair)
    await expectHonest(store, opened)
  })

  it('that was cut short after its last step is not done again', async () => {
    const { store, file } = await filled()
    await truncate(file, (await stat(file)).size - PAGE)
    const { repair } = await store.open()
    await store.close()
    await writeFile(`${file}.repair.json`, JSON.stringify(repair))
    const opened = await store.open()
    expect(await countOf(opened.reader, 'tasks')).toBe(TASKS)
    expect(await readdir(store.dataDir)).not.toContain('drawbridge.db.repair.json')
  })

  it('brings an earlier schema to the newest afterwards', async () => {
    const { store, file } = await filled()
    await truncate(file, (await stat(file)).size - PAGE)
    const migrations = { ...MIGRATIONS, '101-more': { up: async () => {} } }
    const { repair, migrated } = await store.open({ migrations })
    expect(repair?.salvaged.tasks).toBe(TASKS)
    expect(migrated?.to).toBe('101-more')
  })
})

async function filled() {
  const store = await makeScratchStore()
  onTestFinished(() => store.remove())
  const { db, file } = await store.open()
  await fill(db, { tasks: TASKS, events: EVENTS })
  await store.close()
  return { store, file, wal: `${file}-wal` }
}

/** Everything in the file, then so many events that only the log has, each committed, and nobody left to close. */
async function afterPowerCut({ late }: { late: number }) {
  const before = await filled()
  const after = await makeScratchStore()
  onTestFinished(() => after.remove())
  const { db } = await before.store.open()
  await db
    .insertInto('tasks')
    .values(taskRow('late', { last_seq: late }))
    .execute()
  for (let seq = 1; seq <= late; seq++) await db.insertInto('events').values(eventRow('late', seq)).execute()
  await mkdir(after.dataDir, { mode: 0o700 })
  await copyFile(before.file, after.file)
  await copyFile(before.wal, `${after.file}-wal`)
  return { store: after, file: after.file, wal: `${after.file}-wal` }
}

async function lateEvents({ reader }: OpenDatabase): Promise<number> {
  const rows = await reader
    .selectFrom('events')
    .select('seq')
    .where('task_id', '=', 'late')
    .orderBy('seq')
    .execute()
  expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, index) => index + 1))
  return rows.length
}

async function expectSound(store: ScratchStore, opened: OpenDatabase, least: typeof ALL): Promise<void> {
  expect(await countOf(opened.reader, 'tasks')).toBeGreaterThanOrEqual(least.tasks)
  expect(await countOf(opened.reader, 'events')).toBeGreaterThanOrEqual(least.events)
  expect(await checkDatabase(store.file)).toEqual([])
  await opened.db.insertInto('tasks').values(taskRow('new')).execute()
}

/** The report says what is there, the damaged file is kept, and the new one is whole. */
async function expectHonest(store: ScratchStore, { repair, reader, db }: OpenDatabase): Promise<void> {
  expect(repair).not.toBeNull()
  const { salvaged, incomplete, setAside } = repair!
  await stat(setAside)
  for (const table of ['tasks', 'task_labels', 'events', 'approvals', 'audit'] as const) {
    expect([table, await countOf(reader, table)]).toEqual([table, salvaged[table]])
    const full = { ...ALL, task_labels: TASKS, approvals: TASKS, audit: TASKS }[table]
    if (salvaged[table]! < full) expect(incomplete).toContain(table)
  }
  const findings = await checkDatabase(store.file)
  expect(findings.filter(({ message }) => !message.includes('audit does not say'))).toEqual([])
  await db.insertInto('tasks').values(taskRow('new')).execute()
  expect(await readdir(store.dataDir)).not.toContainEqual(expect.stringMatching(/salvag|repair/))
}

async function overwrite(file: string, position: number, bytes: Buffer): Promise<void> {
  const handle = await open(file, 'r+')
  await handle.write(bytes, 0, bytes.length, position)
  await handle.close()
}

async function appendGarbage(file: string, bytes: number): Promise<void> {
  await writeFile(file, garbage(bytes), { flag: 'a' })
}
