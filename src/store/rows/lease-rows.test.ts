import { describe, expect, it } from 'vitest'
import { STORES } from '../../../test/support/stores.ts'
import type { Db } from '../db.ts'
import { messageRow, taskRow } from '../fixtures/sample-rows.ts'
import { expire, inOne, started, workerFacts } from '../fixtures/workers.ts'
import {
  adoptTask,
  claimableTasks,
  claimTasks,
  holderOf,
  orphanedTasks,
  releaseTask,
  stillUnplaced,
  takeBackLate,
  takeBackTasks,
  unplacedTasks,
} from './lease-rows.ts'
import { taskRow as storedTask, updateTask } from './task-rows.ts'
import { loseWorkers, stopWorker, type WorkerFacts } from './worker-rows.ts'

const queued = (id: string, more = {}) =>
  taskRow(id, { status: 'queued', queued_at: Number(id[1]), ended_at: null, ...more })

const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)

const ALL_THERE = { cwd: [], codex_home: [], codex_path: [], host: [] }

describe.each(STORES)('leases on $name', ({ make }) => {
  async function opened(tasks = ['t1', 't2', 't3'].map((id) => queued(id))) {
    const { db } = await (await make()).open()
    await db.insertInto('tasks').values(tasks).execute()
    return { db, a: await started(db, 'a', 'a1'), b: await started(db, 'b', 'b1') }
  }
  const claimed = (db: Db, tasks: readonly string[], worker: WorkerFacts) =>
    inOne(db, (trx) => claimTasks(trx, tasks, worker))
  const seen = async (db: Db, worker: WorkerFacts, more = {}) =>
    ids(await claimableTasks(db, worker, { limit: 9, without: ALL_THERE, ...more }))

  it('go to the worker that claims, in the order of the queue, each task once', async () => {
    const { db, a, b } = await opened()
    expect(await seen(db, a)).toEqual(['t1', 't2', 't3'])
    expect(await seen(db, b, { limit: 2 })).toEqual(['t1', 't2'])
    const first = await claimed(db, ['t2', 't1'], a)
    expect(
      first.map(({ id, worker_id, lease_boot, lease_generation }) => [
        id,
        worker_id,
        lease_boot,
        lease_generation,
      ]),
    ).toEqual([
      ['t1', 'a', 'a1', 1],
      ['t2', 'a', 'a1', 1],
    ])
    expect(ids(await claimed(db, ['t1', 't2', 't3'], b))).toEqual(['t3'])
    expect(ids(await claimed(db, ['t1', 't2', 't3'], a))).toEqual([])
    expect(await seen(db, b)).toEqual([])
  })

  it('are claimed only where the task wants to run, where its folder is, and where its thread lives', async () => {
    const { db, a, b } = await opened([
      queued('t1', { wants: 'gpu' }),
      queued('t2', { wants: 'b' }),
      queued('t3', { worker_id: 'b', thread_id: 'thread' }),
      queued('t4', { cwd: '/elsewhere' }),
      queued('t5', { wants: 'machine b' }),
      queued('t6', { status: 'idle' }),
      queued('t7', { cwd: '/elsewhere', host: 'build' }),
    ])
    expect(await seen(db, a)).toEqual(['t4', 't7'])
    // The folder of a task on a host is there.
    const without = { ...ALL_THERE, cwd: ['/elsewhere'] }
    expect(await seen(db, b, { without })).toEqual(['t2', 't3', 't5', 't7'])
    expect(await seen(db, b, { without: { ...without, host: ['build'] } })).toEqual(['t2', 't3', 't5'])
    expect(await seen(db, workerFacts('c', 'c1', { labels: ['gpu'] }))).toEqual(['t1', 't4', 't7'])
    expect(ids(await claimed(db, ['t3', 't6'], a))).toEqual([])
  })

  it('are not claimed where their codex home or their codex is not; those that name none are', async () => {
    const { db, a } = await opened([
      queued('t1', { codex_home: '/homes/one' }),
      queued('t2', { codex_path: '/opt/codex' }),
      queued('t3', { codex_home: '/homes/two', codex_path: '/bin/codex' }),
      queued('t4'),
    ])
    const homes = { codex_home: ['/homes/one'], codex_path: ['/opt/codex'] }
    const without = { ...ALL_THERE, cwd: ['/elsewhere'], ...homes }
    expect(await seen(db, a, { without })).toEqual(['t3', 't4'])
  })

  it('are not claimed by the one that looked first, if the task has lived elsewhere since', async () => {
    const { db, a, b } = await opened()
    expect(await seen(db, a)).toContain('t1')
    await claimed(db, ['t1'], b)
    await updateTask(db, 't1', { thread_id: 'thread' })
    await stopWorker(db, b)
    expect(await claimed(db, ['t1'], a)).toEqual([])
    expect(await storedTask(db, 't1')).toMatchObject({ worker_id: 'b', lease_boot: null })
  })

  it('are claimed once by many that claim at the same time', async () => {
    const many = Array.from({ length: 40 }, (_, index) => queued(`t${index}`))
    const { db, a, b } = await opened(many)
    const all = many.map(({ id }) => id)
    const rounds = Array.from({ length: 10 }, (_, round) => [
      claimed(db, all.slice(round * 2, round * 2 + 20), a),
      claimed(db, all.slice(round * 2, round * 2 + 20), b),
    ])
    const owned = ids((await Promise.all(rounds.flat())).flat())
    owned.push(...ids(await claimed(db, all, a)))
    expect([owned.length, new Set(owned).size]).toEqual([40, 40])
    const generations = await db.selectFrom('tasks').select('lease_generation').execute()
    expect(generations.every(({ lease_generation }) => lease_generation === 1)).toBe(true)
  })

  it('are taken back by the next start of the same worker, as far as there is something to do', async () => {
    const { db, a } = await opened([
      queued('t1'),
      queued('t2', { status: 'completed', ended_at: 5 }),
      queued('t3', { status: 'limited', ended_at: 5 }),
      queued('t4', { status: 'failed', ended_at: 5, orphan_turn: 'turn' }),
      queued('t5', { status: 'completed', ended_at: 5 }),
    ])
    await db
      .insertInto('messages')
      .values(messageRow('m', 't5', { status: 'queued' }))
      .execute()
    await db.updateTable('tasks').set({ worker_id: 'a', lease_boot: a.boot, lease_generation: 1 }).execute()
    expect(await inOne(db, (trx) => takeBackTasks(trx, a))).toEqual([])
    const next = await started(db, 'a', 'a2')
    const back = await inOne(db, (trx) => takeBackTasks(trx, next))
    expect(back.map(({ id, lease_boot, lease_generation }) => [id, lease_boot, lease_generation])).toEqual(
      ['t1', 't3', 't4', 't5'].map((id) => [id, 'a2', 2]),
    )
  })

  it('of tasks that were claimed and never begun go to others when that worker is gone', async () => {
    const { db, a, b } = await opened([
      queued('t1'),
      queued('t2', { worker_id: 'b', fork_of: '{"threadId":"thread"}' }),
    ])
    await claimed(db, ['t1', 't2'], b)
    expect(await seen(db, a)).toEqual([])
    await stopWorker(db, b)
    expect(await seen(db, a)).toEqual(['t1'])
    expect(ids(await claimed(db, ['t1', 't2'], a))).toEqual(['t1'])
    const next = await started(db, 'b', 'b2')
    expect(ids(await inOne(db, (trx) => takeBackTasks(trx, next)))).toEqual(['t2'])
  })

  it('that were adopted by another when their worker started are taken back later', async () => {
    const { db, a, b } = await opened([
      queued('t1'),
      queued('t2'),
      queued('t3', { status: 'completed', ended_at: 5, worker_id: 'b' }),
    ])
    await claimed(db, ['t1', 't2'], b)
    for (const id of ['t1', 't2']) await updateTask(db, id, { status: 'working', turn_id: 'turn' })
    const late = (worker: WorkerFacts) => inOne(db, (trx) => takeBackLate(trx, worker))
    expect(await late(b)).toEqual([])
    await stopWorker(db, b)
    await inOne(db, (trx) => adoptTask(trx, 't1', a))
    const next = await started(db, 'b', 'b2')
    expect(ids(await inOne(db, (trx) => takeBackTasks(trx, next)))).toEqual(['t2'])
    expect(await late(next)).toEqual([])
    await releaseTask(db, 't1', a)
    expect(await late(a)).toEqual([])
    expect(ids(await late(next))).toEqual(['t1'])
    expect(await storedTask(db, 't1')).toMatchObject({ worker_id: 'b', lease_boot: 'b2' })
  })

  it('are adopted only where nobody owns the task, and the thread stays where it lives', async () => {
    const { db, a, b } = await opened()
    await claimed(db, ['t1'], a)
    const adopted = (task: string) => inOne(db, (trx) => adoptTask(trx, task, b))
    expect([await adopted('t1'), await adopted('t2'), await adopted('none')]).toEqual([false, true, false])
    expect(await storedTask(db, 't2')).toMatchObject({
      worker_id: null,
      lease_boot: 'b1',
      lease_generation: 1,
    })
    expect(await claimed(db, ['t2'], a)).toEqual([])
    await expire(db, 'a')
    await loseWorkers(db)
    expect(await adopted('t1')).toBe(true)
    expect(await storedTask(db, 't1')).toMatchObject({
      worker_id: 'a',
      lease_boot: 'b1',
      lease_generation: 2,
    })
    await releaseTask(db, 't1', a)
    expect((await storedTask(db, 't1'))?.lease_boot).toBe('b1')
    await releaseTask(db, 't1', b)
    expect((await storedTask(db, 't1'))?.lease_boot).toBeNull()
  })

  it('that were adopted are free again when the adopter starts again', async () => {
    const { db, a, b } = await opened()
    expect(await inOne(db, (trx) => adoptTask(trx, 't1', b))).toBe(true)
    await started(db, 'b', 'b2')
    expect(ids(await claimed(db, ['t1'], a))).toEqual(['t1'])
  })

  it('say who owns a task now, and where it lives', async () => {
    const { db, a } = await opened()
    expect(await holderOf(db, 'none')).toBeNull()
    expect(await holderOf(db, 't1')).toEqual({ home: null, worker: null })
    await claimed(db, ['t1'], a)
    expect(await holderOf(db, 't1')).toMatchObject({
      home: 'a',
      worker: { id: 'a', public_key: 'key of a1' },
    })
    await expire(db, 'a')
    await loseWorkers(db)
    expect(await holderOf(db, 't1')).toEqual({ home: 'a', worker: null })
  })

  it('leave orphans when a worker is lost at once, when it stops after a while', async () => {
    const { db, a, b } = await opened()
    await claimed(db, ['t1', 't2'], a)
    await claimed(db, ['t3'], b)
    for (const id of ['t1', 't3']) await updateTask(db, id, { status: 'working', turn_id: 'turn' })
    await updateTask(db, 't2', { status: 'idle' })
    const orphans = async (graceMs: number) => ids(await orphanedTasks(db, { graceMs, limit: 9 }))
    expect(await orphans(-60_000)).toEqual([])
    await expire(db, 'a')
    await loseWorkers(db)
    await stopWorker(db, b)
    expect(await orphans(60_000)).toEqual(['t1'])
    expect(await orphans(-60_000)).toEqual(['t1', 't3'])
    expect((await orphanedTasks(db, { graceMs: 60_000, limit: 9 }))[0]).toMatchObject({
      ...{ worker_name: 'machine a', worker_machine: 'a.example', worker_state: 'lost' },
    })
    await updateTask(db, 't1', { waiting_for: 'worker' })
    expect(await orphans(60_000)).toEqual([])
  })

  it('of queued tasks that nobody claims are told, the oldest first', async () => {
    const { db, a } = await opened()
    await claimed(db, ['t1'], a)
    expect(ids(await unplacedTasks(db, { queuedBefore: 3, limit: 9 }))).toEqual(['t2'])
    expect(ids(await unplacedTasks(db, { queuedBefore: 9, limit: 9 }))).toEqual(['t2', 't3'])
    expect(await inOne(db, (trx) => stillUnplaced(trx, ['t1', 't2']))).toEqual(new Set(['t2']))
  })
})
