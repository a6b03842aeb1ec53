import { readdir, readFile } from 'node:fs/promises'
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { describe, expect, it, onTestFinished } from 'vitest'
import { allRows, fillGenerated } from './fixtures/generated-rows.ts'
import { countOf, fill } from './fixtures/sample-rows.ts'
import { makeScratchStore, type ScratchStore } from './fixtures/scratch-store.ts'
import type { Migrations } from './migrate.ts'
import { MIGRATIONS } from './migrations/index.ts'
import { createAt } from './sqlite/create.ts'
import { makePrivate } from './sqlite/private-files.ts'
import { openReader, openWriter } from './sqlite/sqlite-file.ts'

const NAMES = Object.keys(MIGRATIONS)

describe('a database of an earlier schema', () => {
  it.each(NAMES)('is brought from %s to the newest with its rows', async (name) => {
    const store = await scratch()
    await makePrivate([store.file])
    const old = await createAt(store.file, MIGRATIONS, name)
    await fillGenerated(old.db as unknown as Kysely<never>)
    const before = await allRows(old.db as unknown as Kysely<never>)
    await old.close()

    const { reader, repair } = await store.open()
    expect(repair).toBeNull()
    const after = await allRows(reader as unknown as Kysely<never>)
    expect(Object.keys(before).length).toBeGreaterThan(5)
    for (const [table, rows] of Object.entries(before)) {
      const kept = rows.map((row) => expect.objectContaining(row))
      if (after[table]) expect(after[table]).toEqual(kept)
    }
  })

  it('ends up with the same tables as a new one', async () => {
    const [upgraded, fresh] = [await scratch(), await scratch()]
    await makePrivate([upgraded.file])
    await (await createAt(upgraded.file, MIGRATIONS, NAMES[0])).close()
    const tables = async (store: typeof fresh) => (await store.open()).reader.introspection.getTables()
    expect(await tables(upgraded)).toEqual(await tables(fresh))
  })

  it('is copied first, and the last three copies are kept', async () => {
    const store = await scratch()
    const steps: Record<string, Migrations[string]> = { ...MIGRATIONS }
    await fill((await store.open()).db, { tasks: 2, events: 3 })
    await reopen(store, { now: 0 })
    for (let step = 1; step <= 5; step++) {
      steps[`10${step}-more`] = addTable(`more_${step}`)
      const { migrated } = await reopen(store, { migrations: { ...steps }, now: step * 1_000 })
      expect(migrated).toEqual({
        from: step === 1 ? NAMES.at(-1) : `10${step - 1}-more`,
        to: `10${step}-more`,
        backup: `${store.file}.1970-01-01T00-00-0${step}-000Z-before-10${step}-more`,
      })
    }
    const copies = (await readdir(store.dataDir)).filter((name) => name.includes('before'))
    expect(copies.map((name) => name.slice(-8))).toEqual(['103-more', '104-more', '105-more'])
    const copy = openReader(`${store.file}.1970-01-01T00-00-05-000Z-before-105-more`)
    expect(await countOf(copy.db, 'events')).toBe(6)
    await copy.close()
  })

  it('does not mind that the clock was set back between two versions', async () => {
    const store = await scratch()
    await reopen(store, {})
    const steps: Record<string, Migrations[string]> = { ...MIGRATIONS, '101-more': addTable('more_1') }
    await reopen(store, { migrations: { ...steps } })
    await store.close()
    const writer = openWriter(store.file)
    writer.database.exec(
      `update kysely_migration set timestamp = '2001-01-01T00:00:00.000Z' where name = '101-more'`,
    )
    await writer.close()
    steps['102-more'] = addTable('more_2')
    const { migrated } = await reopen(store, { migrations: { ...steps } })
    expect(migrated?.to).toBe('102-more')
  })
})

describe('a migration', () => {
  it('that fails leaves the database as it was, also what earlier ones did', async () => {
    const store = await scratch()
    await fill((await store.open()).db, { tasks: 2, events: 3 })
    const before = await reopen(store, {})
    const tables = await before.reader.introspection.getTables()
    await before.close()
    const failing = { up: () => Promise.reject(new Error('no such thing')) }
    const migrations = { ...MIGRATIONS, '101-more': addTable('more'), '102-bad': failing }
    await expect(store.open({ migrations })).rejects.toMatchObject({
      code: 'migration-failed',
      details: { migration: '102-bad' },
      cause: expect.objectContaining({ message: 'no such thing' }),
    })
    const after = await store.open()
    expect(await after.reader.introspection.getTables()).toEqual(tables)
    expect(await countOf(after.reader, 'events')).toBe(6)
  })

  it('may rebuild a table that others refer to', async () => {
    const store = await scratch()
    await fill((await store.open()).db, { tasks: 2, events: 1 })
    const rebuild = run(
      'create table copy as select * from tasks',
      'drop table tasks',
      'alter table copy rename to tasks',
      'create unique index tasks_key on tasks (id)',
    )
    const { reader } = await reopen(store, { migrations: { ...MIGRATIONS, '101-rebuild': rebuild } })
    expect(await countOf(reader, 'approvals')).toBe(2)
  })

  it('must not leave references to what it has deleted', async () => {
    const store = await scratch()
    const { db, close } = await store.open()
    await fill(db, { tasks: 2, events: 1 })
    await close()
    const forget = run(`delete from tasks where id = 'task-0000'`)
    await expect(store.open({ migrations: { ...MIGRATIONS, '101-forget': forget } })).rejects.toMatchObject({
      code: 'migration-failed',
      cause: expect.objectContaining({
        message: expect.stringContaining('refer to rows that are not there'),
      }),
    })
    expect(await countOf((await store.open()).reader, 'tasks')).toBe(2)
  })
})

describe('a database of a newer Drawbridge', () => {
  it('is refused and not changed by a byte', async () => {
    const store = await scratch()
    await fill((await store.open()).db, { tasks: 2, events: 3 })
    const newer = await reopen(store, { migrations: { ...MIGRATIONS, '999-future': addTable('future') } })
    await newer.close()
    const before = await readFile(store.file)
    await expect(store.open()).rejects.toMatchObject({
      code: 'database-too-new',
      message: expect.stringContaining('999-future'),
    })
    expect(Buffer.compare(await readFile(store.file), before)).toBe(0)
    expect(await readdir(store.dataDir)).not.toContainEqual(expect.stringMatching(/damaged|salvag|new$/))
  })
})

function addTable(name: string) {
  return run(`create table ${name} (id text)`)
}

function run(...statements: readonly string[]): Migration {
  return {
    async up(db) {
      for (const statement of statements) await sql.raw(statement).execute(db)
    },
  }
}

async function scratch() {
  const store = await makeScratchStore()
  onTestFinished(() => store.remove())
  return store
}

/** As a restart, perhaps of another version: what is open is closed first. */
async function reopen(store: ScratchStore, options: Parameters<ScratchStore['open']>[0]) {
  await store.close()
  return store.open(options)
}
