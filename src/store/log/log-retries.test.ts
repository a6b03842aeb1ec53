// The log of a worker on a PostgreSQL whose network or server refuses for a moment: it goes on by itself, and nothing is
// lost or made twice.
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freshDatabase } from '../../../test/support/postgres/fresh-database.ts'
import { type TcpProxy, tcpProxy } from '../../../test/support/tcp-proxy.ts'
import type { Db } from '../db.ts'
import { type CountedLog, countedLog, countIn, heard, makeTasks, storedOf } from '../fixtures/counted-log.ts'
import { expire, inOne } from '../fixtures/workers.ts'
import { openPostgres } from '../postgres/open-postgres.ts'
import { taskRow, updateTask } from '../rows/task-rows.ts'
import { loseWorkers } from '../rows/worker-rows.ts'
import { LeaseLostError } from './group-writer.ts'

const range = (count: number) => Array.from({ length: count }, (_, index) => index)

async function opened(options = {}) {
  const url = await freshDatabase('migrated')
  const direct = await openPostgres({ url })
  onTestFinished(() => direct.close())
  await makeTasks(direct.db, ['t', 'u'])
  const proxy = await tcpProxy(Number(new URL(url).port))
  const shared = await countedLog({ url: proxy.through(url), ...options }, { direct: direct.db })
  await shared.log.open('t')
  return { url, direct: direct.db, proxy, shared }
}

function heal(proxy: TcpProxy): void {
  proxy.refuse(false)
  proxy.thaw()
}

async function expectOnce(db: Db, { effects, resolved, broken, lost }: CountedLog, marks: readonly string[]) {
  const stored = await storedOf(db, 't')
  expect(stored.changes).toEqual(marks)
  expect(stored.turnCount).toBe(marks.length)
  expect([effects, resolved]).toEqual([marks, marks])
  expect(stored.seqs).toEqual(range(stored.seqs.length).map((index) => index + 1))
  expect([broken, lost]).toEqual([[], []])
  return stored
}

async function waitsForLock(db: Db): Promise<void> {
  const waiting = sql<{ count: number }>`select count(*) as count from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database()`
  await expect.poll(async () => (await waiting.execute(db)).rows[0]!.count).toBeGreaterThan(0)
}

describe('a commit whose reply is lost', () => {
  it('is neither lost nor made twice: 10 of 10', async () => {
    const { direct, proxy, shared } = await opened()
    for (const round of range(10)) {
      const dropped = proxy.loseReplyTo('commit\0')
      shared.log.append('t', heard(`e${round}`))
      await countIn(shared, 't', `c${round}`)
      await dropped
    }
    const stored = await expectOnce(
      direct,
      shared,
      range(10).map((round) => `c${round}`),
    )
    expect(stored.appended).toEqual(range(10).map((round) => `e${round}`))
    // Found committed: no work was run again.
    expect(shared.works).toBe(10)
    expect(shared.log.failingSince).toBeNull()
  })

  it('is waited for when the server gets it only after the next attempt has begun', async () => {
    const { direct, proxy, shared } = await opened()
    const held = proxy.delay('commit\0')
    const made = countIn(shared, 't', 'c0')
    const commit = await held
    await waitsForLock(direct)
    commit()
    await made
    await expectOnce(direct, shared, ['c0'])
    expect(shared.works).toBe(1)
  })
})

describe('a change that fails among others', () => {
  const failing = (shared: CountedLog, error: Error | null) =>
    shared.log.change(async ({ db, after }) => {
      await updateTask(db, 't', { turn_count: 99 })
      after(() => void shared.effects.push('failed'))
      if (error) throw error
      await sql`select no_such_column from tasks`.execute(db)
    })

  it('is undone alone, whether it throws or the database refuses it: the others are made once', async () => {
    const { direct, shared } = await opened()
    shared.log.append('t', heard('e0'))
    const made = [countIn(shared, 't', 'c0')]
    const thrown = failing(shared, new Error('no'))
    const refused = failing(shared, null)
    made.push(countIn(shared, 't', 'c1'))
    await expect(thrown).rejects.toThrow('no')
    await expect(refused).rejects.toThrow('no_such_column')
    await Promise.all(made)
    const stored = await expectOnce(direct, shared, ['c0', 'c1'])
    expect(stored.appended).toEqual(['e0'])
    expect(shared.log.failingSince).toBeNull()
  })

  it('costs the others nothing when the connection breaks at its savepoint', async () => {
    const { direct, proxy, shared } = await opened()
    for (const [round, text] of ['savepoint change', 'rollback to savepoint change'].entries()) {
      const held = proxy.delay(text)
      const made = countIn(shared, 't', `c${round}`)
      const thrown = failing(shared, new Error('no'))
      thrown.catch(() => {})
      await held
      proxy.cut()
      await expect(thrown).rejects.toThrow('no')
      await made
    }
    await expectOnce(direct, shared, ['c0', 'c1'])
  })
})

describe('a connection that breaks', () => {
  it('at any statement of a group costs an attempt, and nothing else', async () => {
    const { direct, proxy, shared } = await opened()
    const texts = ['begin\0', 'update "workers"', 'update "tasks"', 'insert into events']
    for (const [round, text] of texts.entries()) {
      const held = proxy.delay(text)
      shared.log.append('t', heard(`e${round}`))
      const made = countIn(shared, 't', `c${round}`)
      await held
      proxy.cut()
      await made
    }
    const stored = await expectOnce(
      direct,
      shared,
      texts.map((_, round) => `c${round}`),
    )
    expect(stored.appended).toEqual(texts.map((_, round) => `e${round}`))
  })

  it('again and again while much is written loses nothing: 20 cuts', async () => {
    const { direct, proxy, shared } = await opened()
    const marks: string[] = []
    for (const round of range(20)) {
      const before = shared.resolved.length
      for (const index of range(20)) {
        shared.log.append('t', heard(`${round} ${index}`))
        marks.push(`c${round} ${index}`)
        void countIn(shared, 't', `c${round} ${index}`)
      }
      await expect.poll(() => shared.works > before, { interval: 1 }).toBe(true)
      proxy.cut()
    }
    await shared.log.flushed()
    const stored = await expectOnce(direct, shared, marks)
    expect(new Set(stored.appended).size).toBe(400)
    expect(stored.appended).toHaveLength(400)
  })

  it('without a word is given up after the time for a reply', async () => {
    const { direct, proxy, shared } = await opened({ statementTimeoutMs: 200, replyTimeoutMs: 300 })
    proxy.freeze()
    const made = countIn(shared, 't', 'c0')
    await expect.poll(() => shared.log.failingSince).not.toBeNull()
    heal(proxy)
    await made
    await expectOnce(direct, shared, ['c0'])
  })
})

describe('a server that refuses for a while', () => {
  const refused = async (set: (db: Db) => Promise<unknown>, reset: (db: Db) => Promise<unknown>) => {
    const { direct, shared } = await opened()
    await set(direct)
    shared.log.append('t', heard('e0'))
    const made = countIn(shared, 't', 'c0')
    await expect.poll(() => shared.log.failingSince).not.toBeNull()
    await reset(direct)
    await made
    expect((await expectOnce(direct, shared, ['c0'])).appended).toEqual(['e0'])
  }
  const others = sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`

  it('because it is read-only, as a standby is', () =>
    refused(
      async (db) => {
        const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
        await sql`alter database ${sql.id(rows[0]!.name)} set default_transaction_read_only = on`.execute(db)
        await others.execute(db)
      },
      async (db) => {
        const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
        await sql`begin read write; alter database ${sql.id(rows[0]!.name)}
          reset default_transaction_read_only; commit`.execute(db)
        await others.execute(db)
      },
    ))

  it.each(['53100', '58030', '57P03'])('with %s, in an insert of events', (state) =>
    refused(
      (db) => refuseInserts(db, state),
      (db) => sql`drop trigger refuse on events`.execute(db),
    ),
  )

  it('with 53100 in a change: the change is run again and does not fail', async () => {
    const { direct, shared } = await opened()
    await refuseInserts(direct, '53100', 'messages')
    let tries = 0
    const made = shared.log.change(async ({ db }) => {
      tries++
      const times = { created_at: 1, updated_at: 1 }
      const row = { id: 'm', task_id: 't', mode: 'queue', text: '', status: 'queued', actor: 'a', ...times }
      await db.insertInto('messages').values(row).execute()
    })
    await expect.poll(() => tries).toBeGreaterThan(2)
    await sql`drop trigger refuse on messages`.execute(direct)
    await made
    expect(await direct.selectFrom('messages').selectAll().execute()).toHaveLength(1)
  })

  it('for good, because of what it was given, ends the log after three tries', async () => {
    const { direct, shared, proxy } = await opened()
    await refuseInserts(direct, '22000')
    // What failed before for another reason does not count.
    proxy.refuse(true)
    proxy.cut()
    const made = countIn(shared, 't', 'c0')
    made.catch(() => {})
    await expect.poll(() => shared.log.failingSince).not.toBeNull()
    heal(proxy)
    await expect(made).rejects.toMatchObject({ code: '22000' })
    expect([shared.works, shared.broken.length, shared.effects]).toEqual([3, 1, []])
  })
})

async function refuseInserts(db: Db, state: string, table = 'events'): Promise<void> {
  await sql`create function refuse() returns trigger language plpgsql as
    ${sql.lit(`begin raise exception using errcode = '${state}'; end`)}`.execute(db)
  await sql`create trigger refuse before insert on ${sql.table(table)} execute function refuse()`.execute(db)
}

describe('two workers', () => {
  async function both() {
    const { url, direct, shared } = await opened()
    const other = await countedLog({ url }, { id: 'b', direct })
    return { direct, one: shared, other }
  }

  it('in a deadlock both go through, each once', async () => {
    const { direct, one, other } = await both()
    const meet = barrier(2)
    let works = 0
    const swap = ({ log, effects }: CountedLog, [first, second]: readonly [string, string]) =>
      log.change(async ({ db, after }) => {
        works++
        const add = async (id: string) =>
          updateTask(db, id, { turn_count: (await taskRow(db, id))!.turn_count + 1 })
        await add(first)
        await meet()
        await add(second)
        after(() => void effects.push('made'))
      })
    await Promise.all([swap(one, ['t', 'u']), swap(other, ['u', 't'])])
    expect([one.effects, other.effects, works]).toEqual([['made'], ['made'], 3])
    expect([(await storedOf(direct, 't')).turnCount, (await storedOf(direct, 'u')).turnCount]).toEqual([2, 2])
  })

  it('that write to the log of a task which neither has open give no number twice: 200 events', async () => {
    const { direct, one, other } = await both()
    const say = (shared: CountedLog, mark: string) =>
      shared.log.change(async ({ emit }) => emit('u', 'drawbridge/incident', { type: 'mark', message: mark }))
    const said = async (shared: CountedLog, name: string) => {
      for (const index of range(100)) await say(shared, `${name}${index}`)
    }
    await Promise.all([said(one, 'one'), said(other, 'other')])
    const { seqs, changes } = await storedOf(direct, 'u')
    expect(seqs).toEqual(range(200).map((index) => index + 1))
    expect(new Set(changes).size).toBe(200)
    expect([...one.broken, ...other.broken]).toEqual([])
  })

  it('that store the same key at once: the second finds what the first stored', async () => {
    const { direct, one, other } = await both()
    const meet = barrier(2)
    const create = ({ log }: CountedLog, id: string) =>
      log.change(async ({ db }) => {
        const found = await db.selectFrom('rules').select('text').where('id', '=', 'r').executeTakeFirst()
        if (found) return found.text
        await meet()
        const rule = { id: 'r', text: id, created_at: 1, created_by: id }
        await db.insertInto('rules').values(rule).execute()
        return id
      })
    const made = await Promise.all([create(one, 'one'), create(other, 'other')])
    expect(new Set(made).size).toBe(1)
    expect(await direct.selectFrom('rules').selectAll().execute()).toHaveLength(1)
  })
})

/** Resolves when so many wait; from then on at once. */
function barrier(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let waiting = 0
  return () => {
    if (++waiting >= count) resolve()
    return promise
  }
}

describe('a worker that is cut off', () => {
  it('and declared lost meanwhile learns it once; every change rejects, and nothing more is stored', async () => {
    const { direct, proxy, shared } = await opened()
    await countIn(shared, 't', 'before')
    proxy.refuse(true)
    proxy.cut()
    const first = countIn(shared, 't', 'c0')
    first.catch(() => {})
    await expect.poll(() => shared.log.failingSince).not.toBeNull()
    shared.log.append('t', heard('e0'))
    const pending = [first, ...range(5).map((index) => countIn(shared, 't', `later ${index}`))]
    await expire(direct, 'a')
    expect(await inOne(direct, loseWorkers)).toHaveLength(1)
    heal(proxy)
    const ends = await Promise.allSettled(pending)
    expect(ends.map((end) => end.status === 'rejected' && end.reason instanceof LeaseLostError)).toEqual(
      Array(6).fill(true),
    )
    await expect(shared.log.change(async () => {})).rejects.toThrow(LeaseLostError)
    shared.log.append('t', heard('e1'))
    await expect(shared.log.flushed()).rejects.toThrow(LeaseLostError)
    expect([shared.lost.length, shared.broken, shared.effects]).toEqual([1, [], ['before']])
    expect(await storedOf(direct, 't')).toMatchObject({ changes: ['before'], appended: [], turnCount: 1 })
  })

  it.each(['refuse', 'freeze'] as const)('for good (%s) can be abandoned', async (how) => {
    const { direct, proxy, shared } = await opened()
    if (how === 'freeze') proxy.freeze()
    else proxy.refuse(true)
    if (how === 'refuse') proxy.cut()
    const pending = range(3).map((index) => countIn(shared, 't', `c${index}`))
    await expect
      .poll(() => shared.works + (shared.log.failingSince === null ? 0 : 1), { timeout: 10_000 })
      .toBe(1)
    const reason = new Error('the service ends')
    shared.log.abandon(reason)
    const ends = await Promise.allSettled(pending)
    expect(ends).toEqual(Array(3).fill({ status: 'rejected', reason }))
    await expect(shared.log.change(async () => {})).rejects.toBe(reason)
    heal(proxy)
    expect(await storedOf(direct, 't')).toMatchObject({ changes: [], turnCount: 0 })
    expect([shared.effects, shared.lost]).toEqual([[], []])
  })
})

describe('a log that waits for its database', () => {
  it('tries again whenever it is told to, and has stored everything as soon as the database is back', async () => {
    const { direct, proxy, shared } = await opened()
    proxy.refuse(true)
    proxy.cut()
    const made = countIn(shared, 't', 'c0')
    await expect.poll(() => shared.log.failingSince).not.toBeNull()
    // With the pauses between attempts this would take longer than a minute.
    for (const _ of range(60)) await shared.log.tryNow()
    expect(shared.log.failingSince).not.toBeNull()
    heal(proxy)
    // The first may still be the end of an attempt that was refused.
    for (const _ of range(2)) await shared.log.tryNow()
    expect(shared.log.failingSince).toBeNull()
    await made
    await expectOnce(direct, shared, ['c0'])
    await shared.log.tryNow()
  })
})
