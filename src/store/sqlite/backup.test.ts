import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startHolder } from '../fixtures/holder.ts'
import { countOf, fill } from '../fixtures/sample-rows.ts'
import { makeScratchStore } from '../fixtures/scratch-store.ts'
import { backupDatabase } from './backup.ts'
import { checkDatabase } from './check.ts'
import { openReader } from './sqlite-file.ts'

describe('a backup', () => {
  it('has everything that was committed, in one private file', async () => {
    const { store, folder } = await scratch()
    const { db, file } = await store.open()
    await fill(db, { tasks: 20, events: 20 })
    const to = path.join(folder, 'copy.db')
    const backup = await backupDatabase({ file, to })
    expect(await readdir(folder)).toEqual(['copy.db'])
    expect((await stat(to)).mode & 0o777).toBe(0o600)
    expect(backup).toEqual({ file: to, bytes: (await stat(to)).size })
    const copy = openReader(to)
    expect(await countOf(copy.db, 'events')).toBe(400)
    await copy.close()
  })

  it('is one moment of a database that another process keeps writing to', async () => {
    const { store, folder } = await scratch()
    await fill((await store.open()).db, { tasks: 20, events: 300 })
    await store.close()
    const holder = await startHolder(store.dataDir, 'write')
    onTestFinished(() => holder.kill())
    await holder.said(20)
    const before = Number(holder.lines.at(-1))
    const to = path.join(folder, 'copy.db')
    await backupDatabase({ file: store.file, to })
    await holder.said(holder.lines.length + 5)
    expect(await checkDatabase(to)).toEqual([])
    const copy = openReader(to)
    const { last_seq } = await copy.db
      .selectFrom('tasks')
      .select('last_seq')
      .where('id', '=', 'busy')
      .executeTakeFirstOrThrow()
    await copy.close()
    expect(last_seq).toBeGreaterThanOrEqual(before)
  })

  it('can be put in place of the database', async () => {
    const { store } = await scratch()
    const { db, file } = await store.open()
    await fill(db, { tasks: 3, events: 3 })
    const to = `${file}.copy`
    await backupDatabase({ file, to })
    await db.deleteFrom('events').execute()
    await store.close()
    await backupDatabase({ file: to, to: file, overwrite: true })
    const { reader, repair } = await store.open()
    expect(repair).toBeNull()
    expect(await countOf(reader, 'events')).toBe(9)
  })

  it('says how far it is', async () => {
    const { store, folder } = await scratch()
    const { db, file } = await store.open()
    await fill(db, { tasks: 100, events: 100 })
    const seen: number[] = []
    await backupDatabase({
      file,
      to: path.join(folder, 'copy.db'),
      onProgress: ({ copiedPages, totalPages }) => seen.push(copiedPages / totalPages),
    })
    expect(seen.every((part) => part > 0 && part <= 1)).toBe(true)
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
  })
})

describe('no backup is made', () => {
  it('over a file, unless told so', async () => {
    const { store, folder } = await scratch()
    const { file } = await store.open()
    const to = path.join(folder, 'mine.txt')
    await writeFile(to, 'precious')
    await expect(backupDatabase({ file, to })).rejects.toMatchObject({ code: 'backup-exists' })
    expect(await readFile(to, 'utf8')).toBe('precious')
    await backupDatabase({ file, to, overwrite: true })
    expect(await checkDatabase(to)).toEqual([])
  })

  it('over the database itself, by whatever name', async () => {
    const { store, folder } = await scratch()
    const { file } = await store.open()
    const link = path.join(folder, 'link.db')
    await symlink(file, link)
    for (const to of [file, link])
      await expect(backupDatabase({ file, to, overwrite: true })).rejects.toMatchObject({
        code: 'backup-failed',
      })
  })

  it('of nothing, or into nowhere, and nothing is left behind', async () => {
    const { store, folder } = await scratch()
    const { file } = await store.open()
    const missing = backupDatabase({ file: path.join(folder, 'none.db'), to: path.join(folder, 'copy.db') })
    await expect(missing).rejects.toMatchObject({ code: 'database-not-found' })
    const nowhere = backupDatabase({ file, to: path.join(folder, 'none', 'copy.db') })
    await expect(nowhere).rejects.toMatchObject({ code: 'backup-failed' })
    expect(await readdir(folder)).toEqual([])
  })

  it('of a damaged database', async () => {
    const { store, folder } = await scratch()
    await fill((await store.open()).db, { tasks: 5, events: 20 })
    await store.close()
    const damaged = new DatabaseSync(store.file, { defensive: false })
    damaged.exec(
      `pragma writable_schema = on; update sqlite_master set rootpage = 3 where name = 'tasks_by_age'`,
    )
    damaged.close()
    const to = path.join(folder, 'copy.db')
    await expect(backupDatabase({ file: store.file, to })).rejects.toMatchObject({
      code: 'backup-failed',
    })
    expect(await readdir(folder)).toEqual([])
  })
})

async function scratch() {
  const store = await makeScratchStore()
  onTestFinished(() => store.remove())
  const folder = path.join(store.dataDir, '..', 'elsewhere')
  await mkdir(folder)
  return { store, folder }
}
