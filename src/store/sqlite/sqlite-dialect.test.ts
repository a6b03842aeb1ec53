import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventRow, fill, taskRow } from '../fixtures/sample-rows.ts'
import { makeScratchStore } from '../fixtures/scratch-store.ts'
import { openWriter } from './sqlite-file.ts'

describe('transactions', () => {
  it('have the write lock from their begin', async () => {
    const { db, file } = await open()
    const other = openWriter(file)
    other.database.exec('pragma busy_timeout = 0')
    await db.transaction().execute(async (trx) => {
      await trx.selectFrom('tasks').selectAll().execute()
      expect(() => other.database.exec('begin immediate')).toThrow('database is locked')
    })
    other.database.exec('begin immediate; rollback')
    await other.close()
  })

  it('are undone when they fail, and say what failed', async () => {
    const { db } = await open()
    const failing = db.transaction().execute(async (trx) => {
      await trx.insertInto('tasks').values(taskRow('a')).execute()
      await trx.insertInto('tasks').values(taskRow('a')).execute()
    })
    await expect(failing).rejects.toThrow('UNIQUE constraint failed: tasks.id')
    expect(await db.selectFrom('tasks').selectAll().execute()).toEqual([])
  })

  it('keep the first error when SQLite has rolled back by itself', async () => {
    const { db } = await open()
    const failing = db.transaction().execute(async (trx) => {
      await sql`insert or rollback into tasks (id) values ('a')`.execute(trx)
    })
    await expect(failing).rejects.toThrow('NOT NULL constraint failed')
    await db.insertInto('tasks').values(taskRow('b')).execute()
  })

  it('go back to a savepoint', async () => {
    const { db } = await open()
    const trx = await db.startTransaction().execute()
    await trx.insertInto('tasks').values(taskRow('a')).execute()
    const after = await trx.savepoint('before "b"').execute()
    await after.insertInto('tasks').values(taskRow('b')).execute()
    await after.rollbackToSavepoint('before "b"').execute()
    await trx.commit().execute()
    expect(await db.selectFrom('tasks').select('id').execute()).toEqual([{ id: 'a' }])
  })
})

describe('the writer', () => {
  it('does what it is asked in that order, also without being awaited', async () => {
    const { db } = await open()
    const order: number[] = []
    await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        await db.transaction().execute(async (trx) => {
          await trx.insertInto('events').values(eventRow('a', index)).execute()
          order.push(index)
        })
      }),
    )
    expect(order).toEqual(order.toSorted((a, b) => a - b))
  })

  it('closes after what was asked before', async () => {
    const { db, close, reopen } = await open()
    const writes = Array.from({ length: 20 }, (_, index) =>
      db.insertInto('events').values(eventRow('a', index)).execute(),
    )
    await close()
    await Promise.all(writes)
    const { reader } = await reopen()
    expect(await reader.selectFrom('events').select('seq').execute()).toHaveLength(20)
  })

  it('says how many rows were changed, and returns those asked for', async () => {
    const { db } = await open()
    await fill(db, { tasks: 3, events: 0 })
    const updated = await db.updateTable('tasks').set({ title: 'x' }).executeTakeFirst()
    expect(updated.numUpdatedRows).toBe(3n)
    const returned = await db.deleteFrom('tasks').where('id', '=', 'task-0001').returning('title').execute()
    expect(returned).toEqual([{ title: 'x' }])
  })

  it('survives more different statements than it keeps', async () => {
    const { db } = await open()
    for (let index = 0; index < 400; index++) {
      const { rows } = await sql<{ n: number }>`select ${sql.lit(index)} as n`.execute(db)
      expect(rows).toEqual([{ n: index }])
    }
  })
})

describe('the reader', () => {
  it('sees at once what was committed, and never what was not', async () => {
    const { db, reader } = await open()
    const count = async () => (await reader.selectFrom('tasks').select('id').execute()).length
    for (let index = 1; index <= 50; index++) {
      await db.transaction().execute(async (trx) => {
        await trx
          .insertInto('tasks')
          .values(taskRow(`task-${index}`))
          .execute()
        expect(await count()).toBe(index - 1)
      })
      expect(await count()).toBe(index)
    }
  })

  it('goes on while the writer is taken, and the writer while it is', async () => {
    const { db, reader } = await open()
    await fill(db, { tasks: 5, events: 5 })
    const snapshot = await reader.startTransaction().execute()
    const before = await snapshot.selectFrom('tasks').select('id').execute()
    await db.deleteFrom('tasks').execute()
    expect(await snapshot.selectFrom('tasks').select('id').execute()).toEqual(before)
    await snapshot.commit().execute()
    expect(await reader.selectFrom('tasks').select('id').execute()).toEqual([])
  })

  it('streams rows', async () => {
    const { db } = await open()
    await fill(db, { tasks: 1, events: 30 })
    const query = db.selectFrom('events').select('seq').orderBy('seq')
    const seen: number[] = []
    await db.connection().execute(async (connection) => {
      const streamed = connection.selectFrom('events').select('seq').orderBy('seq')
      for await (const { seq } of streamed.stream()) seen.push(seq)
    })
    expect(seen).toEqual((await query.execute()).map(({ seq }) => seq))
  })

  it('cannot write', async () => {
    const { reader } = await open()
    await expect(reader.insertInto('tasks').values(taskRow('a')).execute()).rejects.toThrow('readonly')
  })
})

async function open() {
  const store = await makeScratchStore()
  onTestFinished(() => store.remove())
  return { ...(await store.open()), reopen: () => store.open() }
}
