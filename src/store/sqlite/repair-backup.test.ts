// A damaged database with backups beside it: what comes from which, and what a repair that is cut short leaves.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, cp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import {
  ALL,
  damagePages,
  damagePageWith,
  filledStore,
  makeCopy,
  overwrite,
  scratchStore,
} from '../fixtures/damaged-store.ts'
import { garbage } from '../fixtures/garbage.ts'
import { countOf, eventRow, fill, messageRow, noticeRow, taskRow } from '../fixtures/sample-rows.ts'
import type { ScratchStore } from '../fixtures/scratch-store.ts'
import { MIGRATIONS } from '../migrations/index.ts'
import { checkDatabase } from './check.ts'
import { createAt } from './create.ts'
import { makePrivate } from './private-files.ts'
import { removeFiles } from './sqlite-file.ts'

const MONDAY = Date.UTC(2026, 10, 16, 3)
const TUESDAY = Date.UTC(2026, 10, 17, 3)
const PAGE = 4096

describe('a repair', () => {
  it('starts from the newest backup when nothing can be read', async () => {
    const { store, file } = await filledStore()
    await makeCopy(file, MONDAY)
    await add(store, ['tuesday'])
    const newest = await makeCopy(file, TUESDAY)
    await add(store, ['lost'])
    await overwrite(file, 0, Buffer.alloc(PAGE))
    const { repair, reader } = await store.open()
    expect(repair).toMatchObject({ backup: { file: newest, at: TUESDAY }, salvaged: { tasks: 0, events: 0 } })
    expect(repair!.incomplete).toEqual(expect.arrayContaining(Object.keys(ALL)))
    expect(await countOf(reader, 'tasks')).toBe(ALL.tasks + 1)
    expect(await countOf(reader, 'events')).toBe(ALL.events + 1)
    expect(await checkDatabase(file)).toEqual([])
  })

  it.each([
    ['garbage in the middle', (copy: string) => damagePages(copy, [0.5])],
    ['no length', (copy: string) => truncate(copy, 0)],
    ['half a page too few', async (copy: string) => truncate(copy, (await stat(copy)).size - PAGE / 2)],
    ['another program’s text', (copy: string) => writeFile(copy, 'Dear diary. '.repeat(1_000))],
  ])('uses an older backup when the newest has %s', async (_, damage) => {
    const { store, file } = await filledStore()
    const older = await makeCopy(file, MONDAY)
    await add(store, ['tuesday'])
    const newest = await makeCopy(file, TUESDAY)
    await damage(newest)
    const bytes = await readFile(newest)
    await truncate(file, 0)
    const { repair, reader } = await store.open()
    expect(repair!.backup).toEqual({ file: older, at: MONDAY })
    expect(await countOf(reader, 'tasks')).toBe(ALL.tasks)
    expect(await checkDatabase(file)).toEqual([])
    expect(await readFile(newest)).toEqual(bytes)
  })

  it('fills what cannot be read from the backup, and takes everything else as it is now', async () => {
    const { store, file } = await filledStore()
    await makeCopy(file, MONDAY)
    const { db } = await store.open()
    await db.updateTable('tasks').set({ title: 'renamed' }).where('id', '=', 'task-0007').execute()
    await db.deleteFrom('tasks').where('id', '=', 'task-0039').execute()
    await db.deleteFrom('events').where('task_id', '=', 'task-0039').execute()
    await store.close()
    await add(store, ['tuesday'])
    await damagePageWith(file, 'task-0020 5')
    const { repair, reader } = await store.open()
    expect(repair!.incomplete).toEqual(['events'])
    expect(repair!.salvaged.tasks).toBe(ALL.tasks)
    expect(repair!.salvaged.events).toBeLessThan(ALL.events - 25 + 1)
    expect(await countOf(reader, 'events')).toBe(ALL.events - 25 + 1)
    const tasks = await reader.selectFrom('tasks').select(['id', 'title']).execute()
    expect(tasks).toContainEqual({ id: 'task-0007', title: 'renamed' })
    expect(tasks.map(({ id }) => id)).not.toContain('task-0039')
    expect(await checkDatabase(file)).toEqual([])
  })

  it('uses a copy from before a migration, brought to the schema of the damaged file', async () => {
    const store = await scratchStore()
    await makePrivate([store.file])
    const old = await createAt(store.file, MIGRATIONS, '001-first')
    await fill(old.db, { tasks: 10, events: 25 })
    await old.close()
    const { migrated } = await store.open({ now: MONDAY })
    await store.close()
    await add(store, ['later'])
    await damagePageWith(store.file, 'task-0005 5')
    const { repair, reader, migrated: again } = await store.open()
    expect(repair!.backup).toEqual({ file: migrated!.backup, at: MONDAY })
    expect(again).toBeNull()
    expect(await countOf(reader, 'events')).toBe(251)
    expect(await countOf(reader, 'approval_times')).toBe(10)
    expect(await checkDatabase(store.file)).toEqual([])
  })

  it('passes over a backup of a later schema than the damaged file has', async () => {
    const { store, file } = await filledStore()
    const usable = await makeCopy(file, MONDAY)
    const migrations = { ...MIGRATIONS, '101-more': { up: async () => {} } }
    await (await store.open({ migrations, now: MONDAY - 1 })).close()
    await makeCopy(file, TUESDAY)
    await removeFiles(file)
    await copyFile(usable, file)
    await truncate(file, (await stat(file)).size - PAGE)
    const { repair } = await store.open({ migrations })
    expect(repair!.backup).toEqual({ file: usable, at: MONDAY })
  })

  it('sends nothing twice that the backup has as unsent', async () => {
    const { store, file } = await filledStore()
    const { db } = await store.open()
    const unsent = [
      taskRow('queued', { status: 'queued' }),
      taskRow('starting', { status: 'starting' }),
      taskRow('limited', { status: 'limited', limited_until: 5_000 }),
    ]
    for (const row of unsent) {
      await db.insertInto('tasks').values(row).execute()
      const message = messageRow(`of ${row.id}`, row.id, {
        status: row.id === 'starting' ? 'sending' : 'queued',
      })
      await db.insertInto('messages').values(message).execute()
    }
    const notice = noticeRow('notice', 'queued', { status: 'pending', next_attempt_at: 5 })
    await db.insertInto('outbox').values(notice).execute()
    await store.close()
    await makeCopy(file, MONDAY)
    await truncate(file, 0)
    const { reader } = await store.open()
    const messages = await reader.selectFrom('messages').select('status').distinct().execute()
    expect(messages).toEqual([{ status: 'cancelled' }])
    expect(await reader.selectFrom('outbox').select(['status', 'next_attempt_at']).execute()).toEqual([
      { status: 'dead', next_attempt_at: null },
    ])
    const tasks = reader.selectFrom('tasks').select(['id', 'status', 'limited_until'])
    const ids = unsent.map(({ id }) => id)
    expect(await tasks.where('id', 'in', ids).orderBy('id').execute()).toEqual([
      { id: 'limited', status: 'limited', limited_until: null },
      { id: 'queued', status: 'queued', limited_until: null },
      { id: 'starting', status: 'queued', limited_until: null },
    ])
  })

  it('leaves what waits to be sent in the damaged file as it is', async () => {
    const { store, file } = await filledStore()
    await makeCopy(file, MONDAY)
    const { db } = await store.open()
    await db
      .insertInto('tasks')
      .values(taskRow('queued', { status: 'queued' }))
      .execute()
    await db
      .insertInto('messages')
      .values(messageRow('m', 'queued', { status: 'queued' }))
      .execute()
    await store.close()
    await damagePageWith(file, 'task-0020 5')
    const { repair, reader } = await store.open()
    expect(repair).not.toBeNull()
    expect(await reader.selectFrom('messages').select('status').execute()).toEqual([{ status: 'queued' }])
  })
})

it('a repair that is killed at any step is done again or finished by the next start', {
  timeout: 120_000,
}, async () => {
  const { store, file } = await filledStore()
  const backup = await makeCopy(file, MONDAY)
  await add(store, ['later'])
  await damagePageWith(file, 'task-0020 5')
  await writeFile(`${file}-wal`, garbage(PAGE))
  const [damaged, wal] = [await readFile(file), await readFile(`${file}-wal`)]
  const kept = `${store.dataDir}-kept`
  await cp(store.dataDir, kept, { recursive: true })
  let kills = 0
  for (let step = 0; ; step++) {
    await rm(store.dataDir, { recursive: true })
    await cp(kept, store.dataDir, { recursive: true })
    const isKilled = await killedAt(step, store.dataDir)
    const { reader } = await store.open()
    expect([await countOf(reader, 'tasks'), await countOf(reader, 'events')]).toEqual([
      ALL.tasks + 1,
      ALL.events + 1,
    ])
    expect(await checkDatabase(file)).toEqual([])
    await store.close()
    const names = await readdir(store.dataDir)
    expect(names.filter((name) => /salvag|repair|\.new|unfinished/.test(name))).toEqual([])
    const [setAside, ...others] = names.filter(
      (name) => /damaged-[^.]*$/.test(name) && !name.endsWith('-wal'),
    )
    expect(others).toEqual([])
    expect(await readFile(`${store.dataDir}/${setAside}`)).toEqual(damaged)
    expect(await readFile(`${store.dataDir}/${setAside}-wal`)).toEqual(wal)
    expect(JSON.parse(await readFile(`${store.dataDir}/${setAside}.json`, 'utf8'))).toMatchObject({
      setAside: `${store.dataDir}/${setAside}`,
      backup: { file: backup, at: MONDAY },
    })
    if (!isKilled) break
    kills++
  }
  expect(kills).toBeGreaterThan(10)
})

/** A task with one event each, in the file. */
async function add(store: ScratchStore, ids: readonly string[]): Promise<void> {
  const { db } = await store.open()
  for (const id of ids) {
    await db
      .insertInto('tasks')
      .values(taskRow(id, { last_seq: 1 }))
      .execute()
    await db.insertInto('events').values(eventRow(id, 1)).execute()
  }
  await store.close()
}

async function killedAt(step: number, dataDir: string): Promise<boolean> {
  const program = fileURLToPath(new URL('../fixtures/kill-at-step.ts', import.meta.url))
  const child = spawn(process.execPath, [program, dataDir, String(step)], { stdio: 'inherit' })
  const [code, signal] = await once(child, 'exit')
  expect([code, signal]).toEqual(signal === null ? [0, null] : [null, 'SIGKILL'])
  return signal !== null
}
