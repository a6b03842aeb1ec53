import { describe, expect, it } from 'vitest'
import { STORES } from '../../../test/support/stores.ts'
import type { Db } from '../db.ts'
import { inOne, started } from '../fixtures/workers.ts'
import {
  cancelCommand,
  commandRow,
  finishCommand,
  forgetCommands,
  insertCommand,
  takeCommands,
} from './command-rows.ts'

const A = { id: 'a', boot: 'a1' }
const VALID = { validMs: 60_000 }

function send(db: Db, id: string, { boot = 'a1', validMs = VALID.validMs } = {}): Promise<void> {
  const command = { id, worker_id: 'a', boot, sent_by: 'b', name: 'send', task_id: null, sealed: 'sealed' }
  return insertCommand(db, command, { validMs })
}

describe.each(STORES)('a command on $name', ({ make }) => {
  async function opened() {
    const { db } = await (await make()).open()
    await started(db, 'a', 'a1')
    return db
  }
  const taken = async (db: Db, start = A, limit = 10) =>
    (await inOne(db, (trx) => takeCommands(trx, start, { limit }))).map(({ id }) => id)

  it('is taken once, oldest first, by exactly the start it was sent to', async () => {
    const db = await opened()
    for (const id of ['c1', 'c2', 'c3']) await send(db, id)
    await db.updateTable('commands').set({ created_at: 5 }).where('id', '=', 'c3').execute()
    expect(await taken(db, { id: 'a', boot: 'a2' })).toEqual([])
    expect(await taken(db, { id: 'b', boot: 'a1' })).toEqual([])
    expect(await taken(db, A, 2)).toEqual(['c3', 'c1'])
    expect(await taken(db)).toEqual(['c2'])
    expect(await taken(db)).toEqual([])
  })

  it('is not begun after its time, but can be cancelled then', async () => {
    const db = await opened()
    await send(db, 'c1', { validMs: -1 })
    expect(await taken(db)).toEqual([])
    expect(await cancelCommand(db, 'c1')).toBe(true)
  })

  it('is taken or cancelled, never both', async () => {
    const db = await opened()
    await send(db, 'c1')
    await send(db, 'c2')
    expect(await cancelCommand(db, 'c1')).toBe(true)
    expect(await cancelCommand(db, 'c1')).toBe(false)
    expect(await taken(db)).toEqual(['c2'])
    expect(await cancelCommand(db, 'c2')).toBe(false)
  })

  it('keeps what was sent only until it is over', async () => {
    const db = await opened()
    await send(db, 'c1')
    await send(db, 'c2')
    await finishCommand(db, 'c1', 'too early')
    expect(await commandRow(db, 'c1')).toMatchObject({ state: 'new', sealed: 'sealed', outcome: null })
    await cancelCommand(db, 'c2')
    await taken(db)
    await finishCommand(db, 'c1', '{"value":1}')
    expect(await commandRow(db, 'c1')).toMatchObject({ state: 'done', sealed: null, outcome: '{"value":1}' })
    expect(await commandRow(db, 'c2')).toMatchObject({ state: 'cancelled', sealed: null })
    await finishCommand(db, 'c1', 'again')
    expect(await commandRow(db, 'c1')).toMatchObject({ outcome: '{"value":1}' })
  })

  it('is forgotten when it is old', async () => {
    const db = await opened()
    await send(db, 'old')
    await send(db, 'new')
    await db.updateTable('commands').set({ created_at: 5 }).where('id', '=', 'old').execute()
    expect(await forgetCommands(db, { olderThanMs: 60_000 })).toBe(1)
    expect([await commandRow(db, 'old'), (await commandRow(db, 'new'))?.id]).toEqual([undefined, 'new'])
  })

  it('is begun by one of many that take and cancel at the same time', async () => {
    const db = await opened()
    const ids = Array.from({ length: 40 }, (_, index) => `c${index}`)
    for (const id of ids) await send(db, id)
    const takers = Array.from({ length: 4 }, async () => {
      const all: string[] = []
      for (let round = 0; round < 10; round++) all.push(...(await taken(db, A, 3)))
      return all
    })
    const cancelled = await Promise.all(ids.map((id) => cancelCommand(db, id)))
    const begun = (await Promise.all(takers)).flat()
    begun.push(...(await taken(db, A, 100)))
    expect(new Set(begun).size).toBe(begun.length)
    expect(begun.length + cancelled.filter(Boolean).length).toBe(ids.length)
  })
})
