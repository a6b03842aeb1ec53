import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { STORES } from '../../../test/support/stores.ts'
import type { Db } from '../db.ts'
import { addEndedTask } from '../fixtures/ended-task.ts'
import { taskRow } from '../fixtures/sample-rows.ts'
import { moveStore } from '../move/move-store.ts'
import { deleteTask } from '../rows/task-rows.ts'
import { prune } from '../upkeep/retention.ts'
import { EventLog } from './event-log.ts'
import { wholeFramesOf } from './whole-frames.ts'

const LONG = JSON.stringify({ method: 'item/completed', text: '😀x'.repeat(1_500_000) })

async function scratchFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'frames-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

function logOn(db: Db, folder: string): EventLog {
  return new EventLog({
    ...{ db, reader: db, now: () => 1_000 },
    wholeFrames: wholeFramesOf(db, folder),
    onStored: () => {},
    onEffectError: () => {},
    onBroken: () => {},
  })
}

async function appendLong(log: EventLog, taskId: string): Promise<void> {
  await log.open(taskId)
  const received = { method: 'item/completed', turnId: 't', itemId: null, isDelta: false }
  log.append(taskId, { ...received, raw: LONG })
  await log.flushed()
}

async function keysOf(db: Db, folder: string): Promise<string[]> {
  const keys: string[] = []
  for await (const { taskId, seq } of wholeFramesOf(db, folder).all()) keys.push(`${taskId} ${seq}`)
  return keys.toSorted()
}

describe.each(STORES)('a frame that is too large for the log, on $name', ({ make }) => {
  it('is whole when it is asked for, and the log has its head', async () => {
    const [{ db }, folder] = [await (await make()).open(), await scratchFolder()]
    await db.insertInto('tasks').values(taskRow('a')).execute()
    await appendLong(logOn(db, folder), 'a')
    const { frame } = await db.selectFrom('events').selectAll().executeTakeFirstOrThrow()
    expect(JSON.parse(frame).params).toMatchObject({
      method: 'item/completed',
      bytes: Buffer.byteLength(LONG),
      pointer: '/v1/tasks/a/events/1',
    })
    const frames = wholeFramesOf(db, folder)
    expect(await frames.get('a', 1)).toBe(LONG)
    expect(await frames.get('a', 2)).toBeNull()
    expect(await keysOf(db, folder)).toEqual(['a 1'])
  })

  it('is forgotten with its task', async () => {
    const [{ db }, folder] = [await (await make()).open(), await scratchFolder()]
    await db
      .insertInto('tasks')
      .values([taskRow('a'), taskRow('b')])
      .execute()
    const log = logOn(db, folder)
    await appendLong(log, 'a')
    await appendLong(log, 'b')
    await log.change((change) => deleteTask(change.db, 'a'))
    await wholeFramesOf(db, folder).forget('a')
    expect(await keysOf(db, folder)).toEqual(['b 1'])
  })
})

describe('on PostgreSQL', () => {
  const [, POSTGRES] = STORES

  it('a frame that cannot be stored costs only itself', async () => {
    const [{ db }, folder] = [await (await POSTGRES.make()).open(), await scratchFolder()]
    await db.insertInto('tasks').values(taskRow('a')).execute()
    await db
      .insertInto('frames')
      .values({ task_id: 'a', seq: 1, packed: Buffer.from('in the way') })
      .execute()
    await appendLong(logOn(db, folder), 'a')
    const { frame } = await db.selectFrom('events').selectAll().executeTakeFirstOrThrow()
    expect(JSON.parse(frame).params).toMatchObject({ method: 'item/completed', pointer: null })
  })

  it('a frame goes with the events that retention removes', async () => {
    const [{ db }, folder] = [await (await POSTGRES.make()).open(), await scratchFolder()]
    for (const id of ['old', 'new']) {
      await addEndedTask(db, id, { status: 'completed', ended_at: id === 'old' ? 1 : 2_000 }, { events: 0 })
      await appendLong(logOn(db, folder), id)
    }
    await prune(db, { retention: { taskMaxAgeMs: null, eventMaxAgeMs: 1_500, maxBytes: null }, now: 3_000 })
    expect(await keysOf(db, folder)).toEqual(['new 1'])
    await prune(db, { retention: { taskMaxAgeMs: 500, eventMaxAgeMs: null, maxBytes: null }, now: 3_000 })
    expect(await keysOf(db, folder)).toEqual([])
  })

  it('a moved store has its frames, and without those of tasks that are gone', async () => {
    const [SQLITE] = STORES
    const [one, framesDir] = [await (await SQLITE.make()).open(), await scratchFolder()]
    await one.db.insertInto('tasks').values(taskRow('a')).execute()
    await appendLong(logOn(one.db, framesDir), 'a')
    await wholeFramesOf(one.db, framesDir).put({ taskId: 'gone', seq: 1, frame: LONG }, one.db)
    const two = await (await POSTGRES.make()).open()
    const moved = await moveStore({ from: one, to: two, framesDir })
    expect(moved.at(-1)).toEqual({ table: 'frames', rows: 1, changedValues: 0 })
    expect(await wholeFramesOf(two.db, framesDir).get('a', 1)).toBe(LONG)
    const [three, otherDir] = [await (await SQLITE.make()).open(), await scratchFolder()]
    await moveStore({ from: two, to: three, framesDir: otherDir })
    expect(await wholeFramesOf(three.db, otherDir).get('a', 1)).toBe(LONG)
    expect(await keysOf(three.db, otherDir)).toEqual(['a 1'])
  })

  it('a store is not moved into one that has frames', async () => {
    const [SQLITE] = STORES
    const [one, two] = [await (await SQLITE.make()).open(), await (await POSTGRES.make()).open()]
    await two.db
      .insertInto('frames')
      .values({ task_id: 'x', seq: 1, packed: Buffer.from('x') })
      .execute()
    const move = moveStore({ from: one, to: two, framesDir: await scratchFolder() })
    await expect(move).rejects.toMatchObject({ code: 'target-not-empty', details: { table: 'frames' } })
  })
})
