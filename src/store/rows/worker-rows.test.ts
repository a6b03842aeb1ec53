// The lease protocol on a real database: whatever workers do, and in whatever order, a task has one writer per generation
// and a question one decision.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../../test/support/stores.ts'
import type { Db } from '../db.ts'
import { approvalRow, taskRow } from '../fixtures/sample-rows.ts'
import { settleApproval } from './approval-rows.ts'
import { taskRow as storedTask, updateTask } from './task-rows.ts'
import {
  beatWorker,
  claimTasks,
  countCommit,
  lastCommit,
  loseWorkers,
  ownsTask,
  registerWorker,
  releaseTask,
  setWorkerState,
  takeBackTasks,
} from './worker-rows.ts'

const LEASE = { leaseMs: 60_000 }
const TASKS = ['t1', 't2', 't3']

function facts(id: string, boot: string, labels: readonly string[] = []) {
  return { id, boot, name: `machine ${id}`, version: '0.1.0', capacity: 8, labels }
}

const queued = (id: string, more = {}) => taskRow(id, { status: 'queued', queued_at: Number(id[1]), ...more })

/** Its lease has run out, as when it is frozen or cut off for too long. */
async function expire(db: Db, id: string): Promise<void> {
  await db.updateTable('workers').set({ lease_until: 1 }).where('id', '=', id).execute()
}

/** As every write of an owner is made. */
function write(
  db: Db,
  { id, boot }: { id: string; boot: string },
  lease: { taskId: string; generation: number },
) {
  return db.transaction().execute(async (trx) => {
    if (!(await countCommit(trx, { id, boot }, 1))) return false
    if (!(await ownsTask(trx, lease.taskId, { boot, generation: lease.generation }))) return false
    await updateTask(trx, lease.taskId, { reason: `${boot} ${lease.generation}` })
    return true
  })
}

describe.each(STORES)('leases on $name', ({ make }) => {
  async function opened(tasks = TASKS.map((id) => queued(id))) {
    const { db } = await (await make()).open()
    await db.insertInto('tasks').values(tasks).execute()
    return db
  }
  const inOne = <T>(db: Db, work: (trx: Db) => Promise<T>) => db.transaction().execute(work)

  it('go to the worker that claims, in the order of the queue, each task once', async () => {
    const db = await opened()
    await registerWorker(db, facts('a', 'a1'), LEASE)
    await registerWorker(db, facts('b', 'b1'), LEASE)
    const first = await inOne(db, (trx) => claimTasks(trx, facts('a', 'a1'), { limit: 2 }))
    const second = await inOne(db, (trx) => claimTasks(trx, facts('b', 'b1'), { limit: 2 }))
    expect(first.map(({ id, lease_generation }) => [id, lease_generation])).toEqual([
      ['t1', 1],
      ['t2', 1],
    ])
    expect(second.map(({ id, worker_id, lease_boot }) => [id, worker_id, lease_boot])).toEqual([
      ['t3', 'b', 'b1'],
    ])
    expect(await inOne(db, (trx) => claimTasks(trx, facts('b', 'b1'), { limit: 2 }))).toEqual([])
  })

  it('are claimed only where the task wants to run, and where its thread is', async () => {
    const db = await opened([
      queued('t1', { wants: 'gpu' }),
      queued('t2', { wants: 'b' }),
      queued('t3', { worker_id: 'b' }),
    ])
    const claimed = async (worker: ReturnType<typeof facts>) => {
      await registerWorker(db, worker, LEASE)
      const rows = await inOne(db, (trx) => claimTasks(trx, worker, { limit: 9 }))
      return rows.map(({ id }) => id)
    }
    expect(await claimed(facts('a', 'a1'))).toEqual([])
    expect(await claimed(facts('b', 'b1'))).toEqual(['t2', 't3'])
    expect(await claimed(facts('c', 'c1', ['gpu']))).toEqual(['t1'])
  })

  it('end with the worker that is declared lost: it can neither beat nor write nor find its commits', async () => {
    const db = await opened()
    await registerWorker(db, facts('a', 'a1'), LEASE)
    const [task] = await inOne(db, (trx) => claimTasks(trx, facts('a', 'a1'), { limit: 1 }))
    const lease = { taskId: task!.id, generation: task!.lease_generation }
    const start = { id: 'a', boot: 'a1' }
    expect(await write(db, start, lease)).toBe(true)
    expect(await inOne(db, loseWorkers)).toEqual([])
    await expire(db, 'a')
    // Late, but nobody has noticed: nothing is lost.
    expect(await write(db, start, lease)).toBe(true)
    expect(await beatWorker(db, start, LEASE)).toBe(true)
    await expire(db, 'a')
    expect((await inOne(db, loseWorkers)).map(({ id, state }) => [id, state])).toEqual([['a', 'lost']])
    expect([await write(db, start, lease), await beatWorker(db, start, LEASE)]).toEqual([false, false])
    expect(await lastCommit(db, start)).toBeNull()
    expect((await storedTask(db, 't1'))?.lease_boot).toBeNull()
  })

  it('are taken back by the next start of the same worker, which its earlier one cannot write against', async () => {
    const db = await opened()
    await registerWorker(db, facts('a', 'a1'), LEASE)
    await inOne(db, (trx) => claimTasks(trx, facts('a', 'a1'), { limit: 2 }))
    await registerWorker(db, facts('a', 'a2'), LEASE)
    const back = await inOne(db, (trx) => takeBackTasks(trx, { id: 'a', boot: 'a2' }))
    expect(back.map(({ id, lease_generation }) => [id, lease_generation])).toEqual([
      ['t1', 2],
      ['t2', 2],
    ])
    expect(await write(db, { id: 'a', boot: 'a1' }, { taskId: 't1', generation: 1 })).toBe(false)
    expect(await write(db, { id: 'a', boot: 'a2' }, { taskId: 't1', generation: 1 })).toBe(false)
    expect(await write(db, { id: 'a', boot: 'a2' }, { taskId: 't1', generation: 2 })).toBe(true)
  })

  it('know the last transaction that was committed', async () => {
    const db = await opened()
    const start = { id: 'a', boot: 'a1' }
    await registerWorker(db, facts('a', 'a1'), LEASE)
    expect(await lastCommit(db, start)).toBe(0)
    await inOne(db, (trx) => countCommit(trx, start, 41))
    expect(await lastCommit(db, start)).toBe(41)
    await setWorkerState(db, 'a', 'stopped')
    expect([await lastCommit(db, start), await countCommit(db, start, 42)]).toEqual([null, false])
  })
})

type Action =
  | { readonly do: 'restart' | 'beat' | 'expire' | 'claim'; readonly worker: number }
  | { readonly do: 'write' | 'release'; readonly worker: number; readonly task: number }
  | { readonly do: 'sweep' | 'queue' }
  | { readonly do: 'decide'; readonly worker: number }

const worker = fc.integer({ min: 0, max: 3 })
const task = fc.integer({ min: 0, max: 1 })
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('write'), worker, task }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('claim'), worker }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('release'), worker, task }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('sweep', 'queue') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('restart', 'beat', 'expire'), worker }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('decide'), worker }) },
) as fc.Arbitrary<Action>

/** Long ones: a lease has to be given, lost and given to another before its first owner can go wrong. */
const actions = fc.array(action, { minLength: 40, maxLength: 80 })

/** What one start of a worker believes: the leases it was given. It may be wrong, and goes on when another has begun. */
interface Believer {
  readonly id: string
  readonly boot: string
  readonly leases: Map<string, number>
}

async function act(db: Db, action: Action, workers: Believer[], seen: Seen): Promise<void> {
  if (!('worker' in action)) {
    if (action.do === 'sweep') return void (await db.transaction().execute(loseWorkers))
    // Also elsewhere than before.
    const again = { status: 'queued', worker_id: null }
    await db.updateTable('tasks').set(again).where('lease_boot', 'is', null).execute()
    return
  }
  const me = workers[action.worker % workers.length]!
  const { id, boot, leases } = me
  const mayWrite = (trx: Db) => countCommit(trx, { id, boot }, ++seen.commits)
  switch (action.do) {
    case 'restart': {
      const next: Believer = { id, boot: `${id}${workers.length}`, leases: new Map() }
      await registerWorker(db, facts(id, next.boot), LEASE)
      const back = await db.transaction().execute((trx) => takeBackTasks(trx, next))
      for (const row of back) next.leases.set(row.id, row.lease_generation)
      workers.push(next)
      return
    }
    case 'beat':
      return void (await beatWorker(db, me, LEASE))
    case 'expire':
      return expire(db, id)
    case 'claim': {
      const claimed = await db.transaction().execute(async (trx) => {
        if (!(await mayWrite(trx))) return []
        return claimTasks(trx, facts(id, boot), { limit: 1 })
      })
      for (const row of claimed) leases.set(row.id, row.lease_generation)
      return
    }
    case 'write':
    case 'release': {
      const taskId = TASKS[action.task]!
      const generation = leases.get(taskId)
      if (generation === undefined) return
      await db.transaction().execute(async (trx) => {
        if (!(await mayWrite(trx))) return
        if (!(await ownsTask(trx, taskId, { boot, generation }))) return
        if (action.do === 'release') return void (await releaseTask(trx, taskId, { boot, generation }))
        const { reason } = (await storedTask(trx, taskId))!
        await updateTask(trx, taskId, { reason: `${reason} ${boot}:${generation}` })
      })
      return
    }
    case 'decide': {
      const won = await db
        .transaction()
        .execute((trx) => settleApproval(trx, 'q', { from: 'pending', status: 'answered', settled_at: 1 }))
      if (won) seen.decisions++
    }
  }
}

interface Seen {
  decisions: number
  commits: number
}

/** `writes` of a task in the order of their commits, as `boot:generation`. */
function expectOneWriter(taskId: string, writes: readonly string[]): void {
  const writers = new Map<number, string>()
  let newest = 0
  for (const write of writes) {
    const [boot, text] = write.split(':') as [string, string]
    const generation = Number(text)
    expect(writers.get(generation) ?? boot, `the writer of ${taskId} at ${generation}`).toBe(boot)
    writers.set(generation, boot)
    expect(generation, `the generation of ${taskId}`).toBeGreaterThanOrEqual(newest)
    newest = generation
  }
}

describe.each(STORES)('whatever workers do on $name', ({ name, make }) => {
  it('a task has one writer per generation, and a question one decision', async () => {
    const { db } = await (await make()).open()
    const run = async (actions: readonly Action[], isAtOnce: boolean) => {
      await db.deleteFrom('workers').execute()
      await db.deleteFrom('tasks').execute()
      await db
        .insertInto('tasks')
        .values(TASKS.map((id) => queued(id, { reason: 'writes:' })))
        .execute()
      await db.insertInto('approvals').values(approvalRow('q', 't1')).execute()
      const workers = ['a', 'b'].map((id): Believer => ({ id, boot: `${id}0`, leases: new Map() }))
      for (const { id, boot } of workers) await registerWorker(db, facts(id, boot), LEASE)
      const seen: Seen = { decisions: 0, commits: 0 }
      if (isAtOnce)
        // Each worker acts in its own order; the database interleaves their transactions.
        await Promise.all(
          [0, 1].map(async (mine) => {
            for (const each of actions)
              if (('worker' in each ? each.worker % 2 : 0) === mine) await act(db, each, workers, seen)
          }),
        )
      else for (const each of actions) await act(db, each, workers, seen)
      expect(seen.decisions).toBeLessThanOrEqual(1)
      for (const { id, reason } of await db.selectFrom('tasks').select(['id', 'reason']).execute())
        expectOneWriter(id, reason.split(' ').slice(1))
    }
    await fc.assert(
      fc.asyncProperty(actions, (each) => run(each, false)),
      { numRuns: name === 'SQLite' ? 150 : 50 },
    )
    if (name === 'PostgreSQL')
      await fc.assert(
        fc.asyncProperty(actions, (each) => run(each, true)),
        { numRuns: 50 },
      )
  })
})
