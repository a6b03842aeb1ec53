// Two workers on one real PostgreSQL: what either stores comes to the followers of both, each event once and in order.
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freshDatabase } from '../../../test/support/postgres/fresh-database.ts'
import { startPostgres } from '../../../test/support/postgres/server.ts'
import { tcpProxy } from '../../../test/support/tcp-proxy.ts'
import type { Db } from '../db.ts'
import { taskRow } from '../fixtures/sample-rows.ts'
import { NEVER, type WorkerLog, workerLog } from '../fixtures/worker-logs.ts'
import { openPostgres } from '../postgres/open-postgres.ts'
import type { TaskEvent } from '../task-event.ts'

const TASKS = ['a', 'b', 'c']

async function database(): Promise<string> {
  const url = await freshDatabase('migrated')
  await withTasks(url)
  return url
}

async function withTasks(url: string): Promise<void> {
  const { db, close } = await openPostgres({ url, poolSize: 1 })
  await db
    .insertInto('tasks')
    .values(TASKS.map((id) => taskRow(id)))
    .execute()
  await close()
}

const say = { status: 's', waitingFor: null, reason: 'r', evidence: {} }

/** Stores this many events of a task, in one commit; the task belongs to this worker until the next one stores. */
async function store({ log }: WorkerLog, taskId: string, count = 1): Promise<void> {
  await log.open(taskId)
  for (let index = 0; index < count; index++)
    log.append(taskId, { method: 'm', raw: '{"method":"m"}', turnId: null, itemId: null, isDelta: false })
  await log.flushed()
  log.close(taskId)
}

async function tell({ log }: WorkerLog, taskId: string): Promise<void> {
  await log.change(async ({ emit }) => emit(taskId, 'drawbridge/task', say))
  log.close(taskId)
}

interface Following {
  readonly got: string[]
  readonly hasEnded: () => boolean
}

function collect(events: AsyncIterable<TaskEvent>): Following {
  const got: string[] = []
  let hasEnded = false
  void (async () => {
    for await (const { taskId, seq } of events) got.push(`${taskId}${seq}`)
    hasEnded = true
  })()
  return { got, hasEnded: () => hasEnded }
}

function signal(): AbortSignal {
  const controller = new AbortController()
  onTestFinished(() => controller.abort())
  return controller.signal
}

const follow = ({ log }: WorkerLog, taskId: string, after = 0) =>
  collect(log.followers.follow(taskId, { after, signal: signal() }))
const followAll = ({ log }: WorkerLog) => collect(log.followers.followAll({ signal: signal() }))

/** It hears from here on. Task c is for finding that out, and is left out of what it has got. */
async function followAllNow(worker: WorkerLog, other: WorkerLog): Promise<Following> {
  const all = followAll(worker)
  await expect.poll(() => tell(other, 'c').then(() => all.got.length)).toBeGreaterThan(0)
  return {
    hasEnded: all.hasEnded,
    get got() {
      return all.got.filter((id) => !id.startsWith('c'))
    },
  }
}

const seqs = (taskId: string, last: number, first = 1) =>
  Array.from({ length: last - first + 1 }, (_, index) => `${taskId}${first + index}`)

/** Waits until it has them all, and sees that there are not more. */
async function expectGot(following: Following, expected: readonly string[], timeout = 5_000): Promise<void> {
  await expect.poll(() => following.got.length, { timeout }).toBeGreaterThanOrEqual(expected.length)
  expect(following.got).toEqual(expected)
}

/** How it hears of the other's events: either alone is enough. */
const WAYS = [
  { way: 'news only', pollMs: NEVER, isListening: true },
  { way: 'polling only', pollMs: 30, isListening: false },
]

describe.each(WAYS)('followers, with $way', ({ pollMs, isListening }) => {
  async function workers(): Promise<readonly [WorkerLog, WorkerLog]> {
    const url = await database()
    const proxy = await tcpProxy(Number(new URL(url).port))
    proxy.refuse(!isListening)
    const options = { url, busUrl: proxy.through(url), pollMs, isListening }
    return [await workerLog(options), await workerLog(options)]
  }

  it('get what either worker stores, of their own task', async () => {
    const [one, two] = await workers()
    await store(one, 'a', 3)
    const following = [follow(one, 'a'), follow(two, 'a'), follow(two, 'a', 2), follow(two, 'b')]
    await expectGot(following[1]!, seqs('a', 3))
    for (let round = 0; round < 20; round++) {
      await Promise.all([store(one, 'a', 2), store(two, 'b', 3)])
    }
    await expectGot(following[0]!, seqs('a', 43))
    await expectGot(following[1]!, seqs('a', 43))
    await expectGot(following[2]!, seqs('a', 43, 3))
    await expectGot(following[3]!, seqs('b', 60))
  })

  it('lose nothing and get nothing twice while their task goes from worker to worker', async () => {
    const [one, two] = await workers()
    const following = [follow(one, 'a'), follow(two, 'a'), follow(one, 'a'), follow(two, 'a')]
    let last = 0
    for (let round = 0; round < 60; round++) {
      const count = 1 + (round % 3)
      await store(round % 2 ? one : two, 'a', count)
      last += count
    }
    for (const each of following) await expectGot(each, seqs('a', last))
  })

  it('miss only deltas whose item has completed', async () => {
    const [one, two] = await workers()
    const following = follow(two, 'a')
    await store(one, 'a', 1)
    await expectGot(following, ['a1'])
    await one.log.open('a')
    const received = { raw: '{}', turnId: null, itemId: 'i' }
    for (let index = 0; index < 5; index++) one.log.append('a', { ...received, method: 'd', isDelta: true })
    await one.log.flushed()
    one.log.append('a', { ...received, method: 'item/completed', isDelta: false })
    await one.log.flushed()
    one.log.close('a')
    await store(two, 'a', 2)
    await expect.poll(() => following.got.at(-1)).toBe('a9')
    expect(following.got.filter((id) => !/a[2-6]$/.test(id))).toEqual(['a1', 'a7', 'a8', 'a9'])
    expect(new Set(following.got).size).toBe(following.got.length)
  })

  it('of all get our own events of both workers, each once', async () => {
    const [one, two] = await workers()
    const following = [await followAllNow(one, two), await followAllNow(two, one)]
    const expected: string[] = []
    for (let round = 1; round <= 20; round++) {
      await Promise.all([tell(one, 'a'), tell(two, 'b'), store(one, 'c')])
      expected.push(`a${round}`, `b${round}`)
    }
    for (const each of following) {
      await expect.poll(() => each.got.length).toBeGreaterThanOrEqual(expected.length)
      expect(each.got.filter((id) => id.startsWith('a'))).toEqual(seqs('a', 20))
      expect(each.got.filter((id) => id.startsWith('b'))).toEqual(seqs('b', 20))
      expect(each.got.toSorted()).toEqual(expected.toSorted())
    }
  })
})

describe('followers', () => {
  it('go on when the connection that listens is ended, cut, and frozen', async () => {
    const url = await database()
    const proxy = await tcpProxy(Number(new URL(url).port))
    const one = await workerLog({ url, pollMs: 200 })
    const two = await workerLog({ url, busUrl: proxy.through(url), pollMs: 200 })
    const following = follow(two, 'a')
    const ofAll = await followAllNow(two, one)
    await store(one, 'a')
    await expectGot(following, ['a1'])
    const faults: readonly (() => Promise<unknown>)[] = [
      () =>
        sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${two.self}`.execute(
          one.db,
        ),
      async () => proxy.cut(),
      async () => proxy.freeze(),
      async () => proxy.thaw(),
    ]
    for (let round = 0; round < 40; round++) {
      if (round % 5 === 2) await faults[Math.floor(round / 5) % faults.length]!()
      await store(one, 'a', 2)
      await tell(one, 'b')
      await expect.poll(() => following.got.length).toBe(1 + 2 * (round + 1))
    }
    await expectGot(following, seqs('a', 81))
    await expectGot(ofAll, seqs('b', 40))
  })

  it('end when their task is deleted at another worker', async () => {
    const url = await database()
    const [one, two] = [await workerLog({ url, pollMs: 30 }), await workerLog({ url, pollMs: 30 })]
    await store(one, 'a', 2)
    const following = follow(two, 'a')
    await expectGot(following, seqs('a', 2))
    await one.db.deleteFrom('events').where('task_id', '=', 'a').execute()
    await one.db.deleteFrom('tasks').where('id', '=', 'a').execute()
    await expect.poll(following.hasEnded).toBe(true)
    expect(two.log.followers.count).toBe(0)
    expect(await two.log.followers.follow('a', { after: 0, signal: signal() }).next()).toMatchObject({
      done: true,
    })
  })

  it('are many, and each event is read once for all of them', async () => {
    const url = await database()
    // A thousand of them wait for a few connections.
    const patient = { url, pollMs: NEVER, connectTimeoutMs: 10_000 }
    const [one, two] = [await workerLog(patient), await workerLog(patient)]
    const following = Array.from({ length: 1_000 }, () => follow(two, 'a'))
    await store(one, 'a')
    for (const each of following) await expectGot(each, ['a1'])
    const before = await rowsRead(two)
    await store(one, 'a', 10)
    for (const each of following) await expectGot(each, seqs('a', 11))
    expect((await rowsRead(two)) - before).toBeLessThan(100)
  })

  it('wait while the server restarts, and go on', { timeout: 60_000 }, async () => {
    const server = await startPostgres({ isDurable: true })
    onTestFinished(() => server.close())
    const url = server.url('postgres')
    await withTasks(url)
    const [one, two] = [await workerLog({ url, pollMs: 100 }), await workerLog({ url, pollMs: 100 })]
    await store(one, 'a', 3)
    const following = follow(two, 'a')
    const ofAll = await followAllNow(two, one)
    await expectGot(following, seqs('a', 3))
    await tell(one, 'b')
    for (const mode of ['fast', 'immediate'] as const) {
      await server.restart(mode)
      const again = await workerLog({ url, pollMs: 100 })
      const { length } = following.got
      await store(again, 'a', 3)
      await tell(again, 'b')
      await expectGot(following, seqs('a', length + 3), 15_000)
    }
    await expectGot(ofAll, seqs('b', 3), 15_000)
    await expect.poll(() => two.bus.isListening, { timeout: 10_000 }).toBe(true)
  })
})

/** Rows of the log that queries have got from the table, by the server's own count. */
/** Of the table of events, by everybody. */
async function rowsRead({ db, reader }: WorkerLog): Promise<number> {
  for (const pool of [reader, db]) await tellReads(pool)
  const { rows } = await sql<{
    count: number
  }>`select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as count
    from pg_stat_user_tables where relname = 'events'`.execute(db)
  return rows[0]!.count
}

/** A session keeps what it has read to itself for seconds: each of the four of a pool is made to tell. */
async function tellReads(pool: Db): Promise<void> {
  const all = Promise.withResolvers<void>()
  let count = 0
  const tell = (session: Db) => sql`select pg_stat_force_next_flush()`.execute(session)
  await Promise.all(
    Array.from({ length: 4 }, () =>
      pool.connection().execute(async (session) => {
        if (++count === 4) all.resolve()
        await all.promise
        await tell(session)
      }),
    ),
  )
}
