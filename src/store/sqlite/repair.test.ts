// A power cut, a full disk, a bad sector: what is left of the files afterwards, and what is made of it without a backup.
import { mkdir, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import {
  ALL,
  afterPowerCut,
  damageEvents,
  filledStore,
  overwrite,
  scratchStore,
} from '../fixtures/damaged-store.ts'
import { garbage } from '../fixtures/garbage.ts'
import { countOf, eventRow, fill, taskRow } from '../fixtures/sample-rows.ts'
import type { ScratchStore } from '../fixtures/scratch-store.ts'
import { MIGRATIONS } from '../migrations/index.ts'
import { checkDatabase } from './check.ts'
import { createAt } from './create.ts'
import type { OpenDatabase } from './database.ts'
import { makePrivate } from './private-files.ts'
import { listRepairs } from './repair.ts'
import { DatabaseSync } from './sqlite.ts'

const PAGE = 4096
const TABLES = Object.keys(ALL) as (keyof typeof ALL)[]

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
    await writeFile(wal, garbage(3 * PAGE + 17), { flag: 'a' })
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

  it('that is all garbage is set aside with a damaged file, and does not hinder reading that', async () => {
    const { store, file, wal } = await afterPowerCut({ late: 50 })
    const log = garbage((await stat(wal)).size)
    await writeFile(wal, log)
    await damageEvents(file, [0.6])
    const opened = await store.open()
    await expectHonest(store, opened)
    expect(opened.repair!.salvaged.tasks).toBe(ALL.tasks)
    expect(await readFile(`${opened.repair!.setAside}-wal`)).toEqual(log)
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

  it('is read when the file itself is damaged', async () => {
    const { store, file } = await afterPowerCut({ late: 50 })
    await damageEvents(file, [0.55, 0.65])
    const opened = await store.open()
    expect(opened.repair).not.toBeNull()
    expect(await countOf(opened.reader, 'tasks')).toBe(ALL.tasks + 1)
    expect(await lateEvents(opened)).toBe(50)
    expect(await checkDatabase(store.file)).toEqual([])
  })
})

describe('a file whose end is missing', () => {
  it.each([1, 100, PAGE, PAGE + 1, 8 * PAGE])('by %d bytes is read up to there', async (bytes) => {
    const { store, file } = await filledStore()
    await truncate(file, (await stat(file)).size - bytes)
    const opened = await store.open()
    await expectHonest(store, opened)
    const { tasks, events } = opened.repair!.salvaged
    expect(tasks).toBe(ALL.tasks)
    expect(events).toBeGreaterThan(ALL.events - (Math.ceil(bytes / PAGE) + 1) * 20)
  })

  it('loses nothing when the log still has it', async () => {
    const { store, file } = await afterPowerCut({ late: 50 })
    await truncate(file, (await stat(file)).size - PAGE)
    const opened = await store.open()
    expect(await countOf(opened.reader, 'tasks')).toBe(ALL.tasks + 1)
    expect(await lateEvents(opened)).toBe(50)
    expect(await checkDatabase(store.file)).toEqual([])
  })
})

describe('a file', () => {
  it('of no length is set aside, and a new one made', async () => {
    const { store, file } = await filledStore()
    await truncate(file, 0)
    const opened = await store.open()
    await expectHonest(store, opened)
    expect(opened.repair).toMatchObject({
      damage: 'the file is empty',
      backup: null,
      salvaged: { tasks: 0, events: 0 },
    })
  })

  it.each(['of no length', 'that is gone'])('%s does not get its log for the new one', async (how) => {
    const { store, file, wal } = await afterPowerCut({ late: 50 })
    const log = await readFile(wal)
    await (how === 'that is gone' ? rm(file) : truncate(file, 0))
    const opened = await store.open()
    expect(opened.repair).toMatchObject({
      damage: how === 'that is gone' ? 'the file is gone, what was last written is not' : 'the file is empty',
      salvaged: { tasks: 0 },
    })
    expect(opened.repair!.incomplete).toEqual(expect.arrayContaining(TABLES))
    expect(await readFile(`${opened.repair!.setAside}-wal`)).toEqual(log)
    await expectSound(store, opened, { tasks: 0, events: 0 })
  })

  it('that never was a database is set aside as it is', async () => {
    const { store, file } = await filledStore()
    const text = 'Dear diary, this is no database. '.repeat(1_000)
    await writeFile(file, text)
    const opened = await store.open()
    expect(await readFile(opened.repair!.setAside, 'utf8')).toBe(text)
    expect(opened.repair).toMatchObject({ damage: 'file is not a database', salvaged: { tasks: 0 } })
    await expectSound(store, opened, { tasks: 0, events: 0 })
  })

  it('whose header is zeros cannot be read, and everything may be missing', async () => {
    const { store, file } = await filledStore()
    await overwrite(file, 0, Buffer.alloc(100))
    const opened = await store.open()
    await expectHonest(store, opened)
    expect(opened.repair!.salvaged).toMatchObject({ tasks: 0, events: 0 })
  })

  it('with bad pages in the middle gives the rows before the first and after the last, and stays as it is', async () => {
    const { store, file } = await filledStore()
    await damageEvents(file, [0.5, 0.55])
    const damaged = await readFile(file)
    const opened = await store.open()
    await expectHonest(store, opened)
    const { setAside, salvaged } = opened.repair!
    expect(await readFile(setAside)).toEqual(damaged)
    expect(salvaged.events).toBeGreaterThan(ALL.events * 0.8)
    const taskIds = await tasksWithEvents(opened)
    expect(taskIds).toEqual(expect.arrayContaining(['task-0000', 'task-0039']))
  })

  it('whose indexes alone are damaged loses nothing', async () => {
    const { store, file } = await filledStore()
    await overwrite(file, (rootPage(file, 'tasks_by_age') - 1) * PAGE, garbage(PAGE))
    const opened = await store.open()
    expect(opened.repair).toMatchObject({ salvaged: ALL, incomplete: [] })
    await expectSound(store, opened, ALL)
  })

  it('that lost its tasks keeps no rows of theirs', async () => {
    const { store, file } = await filledStore()
    await overwrite(file, (rootPage(file, 'tasks') - 1) * PAGE, garbage(PAGE))
    const opened = await store.open()
    await expectHonest(store, opened)
    expect(opened.repair!.salvaged).toMatchObject({ tasks: 0, events: 0, approvals: 0, audit: ALL.audit })
    expect(opened.repair!.incomplete).toEqual(expect.arrayContaining(['tasks', 'events', 'approvals']))
  })

  it('with rows that break a rule or have values of the wrong type loses these', async () => {
    const { store, file } = await filledStore()
    const writer = new DatabaseSync(file)
    writer.exec(`update tasks set status = 'bored' where id = 'task-0001';
      update tasks set title = x'00ff' where id = 'task-0002';
      update tasks set last_seq = 3 where id = 'task-0003';
      update events set frame = '{' where task_id = 'task-0004' and seq = 25;
      delete from audit where approval_id = 'approval-5'`)
    writer.close()
    await overwrite(file, (rootPage(file, 'tasks_by_age') - 1) * PAGE, garbage(PAGE))
    const opened = await store.open()
    expect(await checkDatabase(store.file)).toEqual([])
    expect(await countOf(opened.reader, 'tasks')).toBe(ALL.tasks - 2)
    expect(await countOf(opened.reader, 'events')).toBe(ALL.events - 2 * 25 - 1)
    expect(await countOf(opened.reader, 'approvals')).toBe(ALL.approvals - 3)
    expect(opened.repair!.incomplete).toEqual(expect.arrayContaining(['tasks', 'events', 'approvals']))
    const task = opened.reader.selectFrom('tasks').select('last_seq').where('id', '=', 'task-0003')
    expect(await task.executeTakeFirst()).toEqual({ last_seq: 25 })
  })

  it.each(Object.keys(MIGRATIONS))(
    'of the schema %s is repaired, then brought to the newest',
    async (step) => {
      const store = await scratchStore()
      await makePrivate([store.file])
      const old = await createAt(store.file, MIGRATIONS, step)
      await fill(old.db, { tasks: 10, events: 25 })
      await old.close()
      await truncate(store.file, (await stat(store.file)).size - PAGE)
      const migrations = { ...MIGRATIONS, '101-more': { up: async () => {} } }
      const { repair, migrated } = await store.open({ migrations })
      expect(repair?.salvaged.tasks).toBe(10)
      expect(migrated).toMatchObject({ from: step, to: '101-more' })
      expect(await checkDatabase(store.file, migrations)).toEqual([])
    },
  )

  it('of a newer Drawbridge is not touched, damaged or not', async () => {
    const { store, file } = await filledStore()
    await (await store.open({ migrations: { ...MIGRATIONS, '999-future': { up: async () => {} } } })).close()
    await truncate(file, (await stat(file)).size - PAGE)
    const before = await readFile(file)
    await expect(store.open()).rejects.toMatchObject({ code: 'database-too-new' })
    expect(await readFile(file)).toEqual(before)
    expect(await readdir(store.dataDir)).not.toContainEqual(expect.stringMatching(/damaged|salvag|repair/))
  })

  it('that may not be read is not taken for damaged', async () => {
    const { store, file } = await filledStore()
    await rename(file, `${file}.real`)
    await mkdir(file)
    await expect(store.open()).rejects.toMatchObject({ code: 'database-unusable' })
  })
})

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

async function tasksWithEvents({ reader }: OpenDatabase): Promise<string[]> {
  const rows = await reader.selectFrom('events').select('task_id').distinct().execute()
  return rows.map(({ task_id }) => task_id)
}

function rootPage(file: string, name: string): number {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return Number(database.prepare('select rootpage from sqlite_master where name = ?').get(name)!.rootpage)
  } finally {
    database.close()
  }
}

async function expectSound(
  store: ScratchStore,
  opened: OpenDatabase,
  least: { tasks: number; events: number },
): Promise<void> {
  expect(await countOf(opened.reader, 'tasks')).toBeGreaterThanOrEqual(least.tasks)
  expect(await countOf(opened.reader, 'events')).toBeGreaterThanOrEqual(least.events)
  expect(await checkDatabase(store.file)).toEqual([])
  await opened.db
    .insertInto('tasks')
    .values(taskRow('new', { last_seq: 1 }))
    .execute()
  await opened.db.insertInto('events').values(eventRow('new', 1)).execute()
}

/** The report says what is there and is kept, so is the damaged file, and the new one is whole. */
async function expectHonest(store: ScratchStore, opened: OpenDatabase): Promise<void> {
  const { repair, reader } = opened
  expect(repair).not.toBeNull()
  const { salvaged, incomplete, setAside } = repair!
  await stat(setAside)
  for (const table of TABLES) {
    const count = await countOf(reader, table)
    if (count < ALL[table]) expect(incomplete).toContain(table)
    // Answered questions without their audit entry are left out once everything has been read.
    if (table === 'approvals') expect(count).toBeLessThanOrEqual(salvaged[table]!)
    else expect([table, count]).toEqual([table, salvaged[table]])
  }
  await expectSound(store, opened, { tasks: 0, events: 0 })
  expect(await readdir(store.dataDir)).not.toContainEqual(expect.stringMatching(/salvag|repair/))
  expect(await listRepairs(store.file)).toEqual([repair])
}
