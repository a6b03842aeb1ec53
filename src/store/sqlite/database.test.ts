import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { eventRow, messageRow, taskRow } from '../fixtures/sample-rows.ts'
import { makeScratchStore } from '../fixtures/scratch-store.ts'
import { insertEvents } from '../rows/insert-events.ts'

it('keeps folder and files to this user', async () => {
  const store = await scratch()
  await (await store.open()).db.insertInto('tasks').values(taskRow('a')).execute()
  expect(await modesIn(store.dataDir)).toEqual({
    '.': '700',
    'drawbridge.db': '600',
    'drawbridge.db-shm': '600',
    'drawbridge.db-wal': '600',
    'drawbridge.db.lock': '600',
    'drawbridge.db.lock.json': '600',
  })
})

it('takes away from others what they were let in before', async () => {
  const store = await scratch()
  await (await store.open()).close()
  await chmod(store.dataDir, 0o755)
  await chmod(store.file, 0o644)
  const { db } = await store.open()
  await db.insertInto('tasks').values(taskRow('a')).execute()
  expect(new Set(Object.values(await modesIn(store.dataDir)))).toEqual(new Set(['700', '600']))
})

it('leaves nothing in the file of what was taken out of it', async () => {
  const store = await scratch()
  const { db } = await store.open()
  const secret = 'the-secret-in-question'
  await db
    .insertInto('tasks')
    .values([taskRow('a'), taskRow('b')])
    .execute()
  for (let n = 0; n < 60; n++) {
    const input = `${secret} ${'x'.repeat(n * 200)}`
    await db
      .insertInto('messages')
      .values(messageRow(`m${n}`, 'a', { input }))
      .execute()
    await insertEvents(db, [eventRow('b', n + 1, { frame: input })])
  }
  await sql`pragma wal_checkpoint(truncate)`.execute(db)
  expect((await readFile(store.file)).includes(secret)).toBe(true)
  await db.updateTable('messages').set({ input: null }).execute()
  await db.deleteFrom('events').where('task_id', '=', 'b').execute()
  await store.close()
  expect((await readFile(store.file)).includes(secret)).toBe(false)
})

it('has the settings that its promises rest on', async () => {
  const { db, reader } = await (await scratch()).open()
  const setting = async (connection: typeof db, name: string) => {
    const { rows } = await sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(connection)
    return Object.values(rows[0]!)[0]
  }
  expect(await setting(db, 'journal_mode')).toBe('wal')
  expect(await setting(db, 'synchronous')).toBe(1)
  expect(await setting(db, 'foreign_keys')).toBe(1)
  expect(await setting(db, 'auto_vacuum')).toBe(2)
  expect(await setting(db, 'secure_delete')).toBe(1)
  expect(await setting(reader, 'busy_timeout')).toBe(5_000)
})

it('leaves one file with everything in it when it closes, and can be closed twice', async () => {
  const store = await scratch()
  const { db, close } = await store.open()
  await db.insertInto('tasks').values(taskRow('a')).execute()
  await close()
  await close()
  expect(await readdir(store.dataDir)).toEqual(['drawbridge.db', 'drawbridge.db.lock'])
  const { reader, repair, migrated } = await store.open()
  expect(await reader.selectFrom('tasks').select('id').execute()).toEqual([{ id: 'a' }])
  expect({ repair, migrated }).toEqual({ repair: null, migrated: null })
})

it('begins anew where a first start was cut short', async () => {
  const store = await scratch()
  await mkdir(store.dataDir, { mode: 0o700 })
  await writeFile(`${store.file}.new`, 'half')
  const { repair } = await store.open()
  expect(repair).toBeNull()
})

it('refuses a folder that is open to others and not its own, and leaves that as it is', async () => {
  const store = await scratch()
  await mkdir(store.dataDir, { mode: 0o755 })
  await chmod(store.dataDir, 0o755)
  await writeFile(path.join(store.dataDir, 'somebody-elses.txt'), '')
  await expect(store.open()).rejects.toMatchObject({ code: 'database-unusable' })
  expect(await modesIn(store.dataDir)).toMatchObject({ '.': '755' })
  await chmod(store.dataDir, 0o700)
  await store.open()
})

async function scratch() {
  const store = await makeScratchStore()
  onTestFinished(() => store.remove())
  return store
}

async function modesIn(folder: string): Promise<Record<string, string>> {
  const names = ['.', ...(await readdir(folder))]
  const modes = names.map(async (name) => {
    const { mode } = await stat(path.join(folder, name))
    return [name, (mode & 0o777).toString(8)]
  })
  return Object.fromEntries(await Promise.all(modes))
}
