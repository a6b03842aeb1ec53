import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { getRollbackPlans } from 'pg-boss'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { freshDatabase } from '../../../test/support/postgres/fresh-database.ts'
import { startPostgres } from '../../../test/support/postgres/server.ts'
import { openPostgres } from '../postgres/open-postgres.ts'
import { openQueue } from './open-queue.ts'
import type { Queue } from './queue.ts'

const WAITING = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
const WITHIN = { timeout: 20_000, interval: 20 }

async function open(url: string, onError = vi.fn()): Promise<Queue & { onError: typeof onError }> {
  const queue = await openQueue({ url, now: Date.now, onError })
  let stopped: Promise<void> | null = null
  const stop = (options: { deadlineMs: number }) => (stopped ??= queue.stop(options))
  onTestFinished(() => stop({ deadlineMs: 0 }))
  return {
    every: queue.every.bind(queue),
    on: queue.on.bind(queue),
    wake: queue.wake.bind(queue),
    stop,
    onError,
  }
}

async function ask<Row>(url: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new Client(url)
  await client.connect()
  try {
    return (await client.query(text, values)).rows
  } finally {
    await client.end()
  }
}

const states = async (url: string, name: string) =>
  (
    await ask<{ state: string }>(
      url,
      `select state::text from pgboss.job where name = $1 order by created_on`,
      [name],
    )
  ).map(({ state }) => state)

describe('the queue of a fleet', () => {
  it('does each of 500 pieces of work once, on both workers', async () => {
    const url = await freshDatabase()
    const [one, two] = [await open(url), await open(url)]
    const done: [string, string | null][] = []
    await one.on('work', async (key) => void done.push(['one', key]))
    await two.on('work', async (key) => void done.push(['two', key]))
    const keys = Array.from({ length: 500 }, (_, index) => `key-${index}`)
    await Promise.all(keys.map((key, index) => (index % 2 === 0 ? one : two).wake('work', { key })))
    await vi.waitFor(() => expect(done.length).toBeGreaterThanOrEqual(500), WITHIN)
    await vi.waitFor(
      async () => expect(new Set(await states(url, 'work'))).toEqual(new Set(['completed'])),
      WITHIN,
    )
    expect(done.map(([, key]) => key).sort()).toEqual(keys.sort())
    expect(new Set(done.map(([worker]) => worker))).toEqual(new Set(['one', 'two']))
  })

  it('keeps one wake-up for each key waiting, and loses none that comes while work runs', async () => {
    const url = await freshDatabase()
    const queue = await open(url)
    const gate = Promise.withResolvers<void>()
    const begun: (string | null)[] = []
    await queue.on('work', async (key) => {
      begun.push(key)
      await gate.promise
    })
    await queue.wake('work')
    await vi.waitFor(() => expect(begun).toHaveLength(1), WITHIN)
    await Promise.all(Array.from({ length: 10 }, () => queue.wake('work')))
    await queue.wake('work', { key: 'other' })
    expect(await states(url, 'work')).toEqual(['active', 'created', 'created'])
    gate.resolve()
    await vi.waitFor(
      async () => expect(await states(url, 'work')).toEqual(['completed', 'completed', 'completed']),
      WITHIN,
    )
    expect(begun).toEqual([null, null, 'other'])
  })

  it('wakes at a time, and at once although one waits for a later time', async () => {
    const url = await freshDatabase()
    const queue = await open(url)
    const begun: [string | null, number][] = []
    await queue.on('work', async (key) => void begun.push([key, Date.now()]))
    const at = Date.now() + 1_500
    await queue.wake('work', { key: 'late', at })
    await queue.wake('work', { key: 'later', at: Date.now() + 3_600_000 })
    await queue.wake('work', { key: 'later' })
    await vi.waitFor(() => expect(begun).toHaveLength(2), WITHIN)
    expect(begun.map(([key]) => key)).toEqual(['later', 'late'])
    expect(begun[1]![1]).toBeGreaterThanOrEqual(at)
  })

  it('wakes with the change it is a part of, and not at all when that is undone', async () => {
    const url = await freshDatabase('migrated')
    const { db, close } = await openPostgres({ url, poolSize: 2 })
    onTestFinished(close)
    const [one, two] = [await open(url), await open(url)]
    const done: (string | null)[] = []
    for (const queue of [one, two]) await queue.on('work', async (key) => void done.push(key))
    const undone = db.transaction().execute(async (trx) => {
      await one.wake('work', { key: 'undone', in: { db: trx, after: () => {} } })
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    const effects: (() => void)[] = []
    await db.transaction().execute(async (trx) => {
      await one.wake('work', { key: 'kept', in: { db: trx, after: (effect) => effects.push(effect) } })
      expect(await states(url, 'work')).toEqual([])
    })
    for (const effect of effects) effect()
    await vi.waitFor(async () => expect(await states(url, 'work')).toEqual(['completed']), WITHIN)
    await two.wake('work', { key: 'last' })
    await vi.waitFor(() => expect(done).toContain('last'), WITHIN)
    expect(done).toEqual(['kept', 'last'])
  })

  it('lets a change that wakes the same key wait for the first, and keeps one wake-up', async () => {
    const url = await freshDatabase('migrated')
    const { db, close } = await openPostgres({ url, poolSize: 8 })
    onTestFinished(close)
    const queue = await open(url)
    const wakeIn = (until: Promise<void>) =>
      db.transaction().execute(async (trx) => {
        await queue.wake('work', { key: 'a', in: { db: trx, after: () => {} } })
        await until
      })
    const gate = Promise.withResolvers<void>()
    const changes = [wakeIn(gate.promise), wakeIn(gate.promise)]
    await vi.waitFor(async () => expect(await ask(url, WAITING)).toHaveLength(1), WITHIN)
    gate.resolve()
    await Promise.all(changes)
    expect(await states(url, 'work')).toEqual(['created'])
  })

  it('does hourly work on one worker, once an hour', async () => {
    const url = await freshDatabase()
    const hour = async () =>
      (await ask<{ hour: number }>(url, 'select floor(extract(epoch from now()) / 3600)::int as hour'))[0]!
        .hour
    const first = await hour()
    const done: string[] = []
    for (const name of ['one', 'two', 'three'])
      await (await open(url)).every('prune', { everyMs: 3_600_000 }, async () => void done.push(name))
    await vi.waitFor(
      async () => expect(new Set(await states(url, 'prune'))).toEqual(new Set(['completed'])),
      WITHIN,
    )
    // The test may run over the end of an hour.
    expect(done).toHaveLength((await hour()) - first + 1)
  })

  it('goes on every second, on one worker each time, also when one of them stops', async () => {
    const url = await freshDatabase()
    const done: string[] = []
    const [one, two] = [await open(url), await open(url)]
    await one.every('sweep', { everyMs: 1_000 }, async () => void done.push('one'))
    await two.every('sweep', { everyMs: 1_000 }, async () => void done.push('two'))
    await vi.waitFor(() => expect(done.length).toBeGreaterThanOrEqual(3), WITHIN)
    await one.stop({ deadlineMs: 1_000 })
    const before = done.length
    await vi.waitFor(() => expect(done.length).toBeGreaterThanOrEqual(before + 2), WITHIN)
    expect(done.slice(before)).not.toContain('one')
    const slots = await ask<{ slot: Date }>(
      url,
      `select singleton_on as slot from pgboss.job where name = 'sweep'`,
    )
    expect(new Set(slots.map(({ slot }) => slot.getTime())).size).toBe(slots.length)
  })

  it('wakes another worker when the one that works is killed', async () => {
    const url = await freshDatabase()
    const program = fileURLToPath(new URL('../fixtures/hold-work.ts', import.meta.url))
    const child = spawn(process.execPath, [program, url], { stdio: ['ignore', 'pipe', 'inherit'] })
    const exited = once(child, 'exit')
    onTestFinished(() => void child.kill('SIGKILL'))
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    expect((await lines.next()).value).toBe('open')
    const queue = await open(url)
    await queue.wake('work', { key: 'a' })
    expect((await lines.next()).value).toBe('a')
    child.kill('SIGKILL')
    await exited
    const done: (string | null)[] = []
    await queue.on('work', async (key) => void done.push(key))
    await queue.wake('work', { key: 'a' })
    await vi.waitFor(() => expect(done).toEqual(['a']), WITHIN)
  })

  it('reports work that fails, does not repeat it, and stores no secret of it', async () => {
    const url = await freshDatabase()
    const queue = await open(url)
    const done: (string | null)[] = []
    await queue.on('work', async (key) => {
      done.push(key)
      if (key === 'bad') throw new Error('cannot reach https://me:pw-12345678@a.example')
    })
    await queue.wake('work', { key: 'bad' })
    await vi.waitFor(async () => expect(await states(url, 'work')).toEqual(['failed']), WITHIN)
    await queue.wake('work', { key: 'good' })
    await vi.waitFor(() => expect(done).toContain('good'), WITHIN)
    expect(done).toEqual(['bad', 'good'])
    expect(queue.onError.mock.calls.map(([error]) => String(error))).toEqual([
      expect.stringContaining('work: cannot reach'),
    ])
    const [stored] = await ask<{ output: unknown }>(
      url,
      `select output from pgboss.job where state = 'failed'`,
    )
    expect(JSON.stringify(stored)).toContain('cannot reach')
    expect(JSON.stringify(stored)).not.toContain('pw-12345678')
  })

  it('leaves work that it had to cut off to another worker', async () => {
    const url = await freshDatabase()
    const [one, two] = [await open(url), await open(url)]
    const begun = Promise.withResolvers<void>()
    await one.on('work', async (_, signal) => {
      begun.resolve()
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    })
    await one.wake('work', { key: 'long' })
    await begun.promise
    await one.stop({ deadlineMs: 50 })
    const done: (string | null)[] = []
    await two.on('work', async (key) => void done.push(key))
    await vi.waitFor(() => expect(done).toEqual(['long']), WITHIN)
    expect(one.onError).not.toHaveBeenCalled()
  })
})

describe('the queue and its database', () => {
  it('goes on after PostgreSQL was restarted, and says once that it was gone', async () => {
    // One that is not would forget its newest commits, the tables among them, when it is stopped at once.
    const server = await startPostgres({ isDurable: true })
    onTestFinished(() => server.close())
    const queue = await open(server.url('postgres'))
    const done: (string | null)[] = []
    await queue.on('work', async (key) => void done.push(key))
    await queue.wake('work', { key: 'before' })
    await vi.waitFor(() => expect(done).toEqual(['before']), WITHIN)
    await server.stop('immediate')
    await queue.wake('work', { key: 'meanwhile' })
    await vi.waitFor(() => expect(queue.onError).toHaveBeenCalled(), WITHIN)
    await server.start()
    await vi.waitFor(async () => {
      await queue.wake('work', { key: 'after' })
      expect(done).toContain('after')
    }, WITHIN)
    expect(done).not.toContain('meanwhile')
    const told = queue.onError.mock.calls.map(([error]) => (error as Error).message)
    expect(told.filter((message) => message.includes('ECONNREFUSED')).length).toBeLessThanOrEqual(1)
  })

  it('goes on after its connections were cut', async () => {
    const url = await freshDatabase()
    const queue = await open(url)
    const done: (string | null)[] = []
    await queue.on('work', async (key) => void done.push(key))
    const cut = await ask(
      url,
      `select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'drawbridge-queue' and datname = current_database()`,
    )
    expect(cut.length).toBeGreaterThan(0)
    await vi.waitFor(async () => {
      await queue.wake('work', { key: 'after' })
      expect(done).toContain('after')
    }, WITHIN)
  })

  it('is brought up to date by one of the workers that start at once', async () => {
    const url = await freshDatabase()
    await (await open(url)).stop({ deadlineMs: 0 })
    const version = async () =>
      (await ask<{ version: number }>(url, 'select version from pgboss.version'))[0]!.version
    const newest = await version()
    await ask(url, getRollbackPlans('pgboss', newest))
    expect(await version()).toBe(newest - 1)
    const queues = await Promise.all([open(url), open(url), open(url)])
    expect(await version()).toBe(newest)
    const done: (string | null)[] = []
    await queues[0].on('work', async (key) => void done.push(key))
    await queues[2].wake('work', { key: 'a' })
    await vi.waitFor(() => expect(done).toEqual(['a']), WITHIN)
  })

  it('is used as it is when a newer version was there', async () => {
    const url = await freshDatabase()
    await (await open(url)).stop({ deadlineMs: 0 })
    await ask(url, 'update pgboss.version set version = version + 1')
    const queue = await open(url)
    const done: (string | null)[] = []
    await queue.on('work', async (key) => void done.push(key))
    await queue.wake('work', { key: 'a' })
    await vi.waitFor(() => expect(done).toEqual(['a']), WITHIN)
  })

  it('is made once by workers that start at once on a new database', async () => {
    const url = await freshDatabase()
    const queues = await Promise.all([open(url), open(url), open(url)])
    const done: (string | null)[] = []
    await Promise.all(queues.map((queue) => queue.on('work', async (key) => void done.push(key))))
    await queues[1].wake('work', { key: 'a' })
    await vi.waitFor(() => expect(done).toEqual(['a']), WITHIN)
  })

  it('says what is missing when its tables cannot be made', async () => {
    const url = await freshDatabase()
    await ask(
      url,
      `do $$ begin create role nobody_much login password 'pw'; exception when duplicate_object then null; end $$`,
    )
    const other = new URL(url)
    other.username = 'nobody_much'
    other.password = 'pw'
    const opened = openQueue({ url: other.href, now: Date.now, onError: () => {} })
    await expect(opened).rejects.toMatchObject({
      code: 'migration-failed',
      message: expect.stringContaining('the right to create a schema'),
    })
    await expect(opened).rejects.not.toThrow('pw@')
  })
})
