// News between workers on a real PostgreSQL.
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freshDatabase } from '../../../test/support/postgres/fresh-database.ts'
import { type TcpProxy, tcpProxy } from '../../../test/support/tcp-proxy.ts'
import { type OpenPostgres, openPostgres } from '../postgres/open-postgres.ts'
import { type Bus, type News, openBus } from './index.ts'

interface Worker {
  readonly bus: Bus
  readonly heard: News[]
  readonly gaps: () => number
  readonly pid: () => Promise<number>
}

const TIMING = { pingMs: 50, pingTimeoutMs: 300, reconnectBaseMs: 20, reconnectMaxMs: 200 }

async function database(): Promise<{ url: string; store: OpenPostgres }> {
  const url = await freshDatabase('migrated')
  const store = await openPostgres({ url, poolSize: 4 })
  onTestFinished(() => store.close())
  return { url, store }
}

async function worker(url: string, { db }: OpenPostgres): Promise<Worker> {
  const self = randomUUID()
  const bus = await openBus({
    ...{ url, db, self, timing: TIMING },
    connectTimeoutMs: 500,
    applicationName: self,
    onError: (error) => {
      throw error
    },
  })
  onTestFinished(() => bus.close())
  const heard: News[] = []
  let gaps = 0
  bus.listen({ news: (news) => heard.push(news), gap: () => gaps++ })
  const pid = async () =>
    (
      await sql<{ pid: number }>`select pid from pg_stat_activity where application_name = ${self}`.execute(
        db,
      )
    ).rows[0]!.pid
  return { bus, heard, gaps: () => gaps, pid }
}

async function listening(url: string, store: OpenPostgres): Promise<Worker> {
  const made = await worker(url, store)
  await expect.poll(() => made.bus.isListening).toBe(true)
  return made
}

async function proxied(): Promise<{ teller: Worker; hearer: Worker; proxy: TcpProxy; store: OpenPostgres }> {
  const { url, store } = await database()
  const proxy = await tcpProxy(Number(new URL(url).port))
  const teller = await listening(url, store)
  const hearer = await listening(proxy.through(url), store)
  return { teller, hearer, proxy, store }
}

const command = (workerId: string): News => ({ kind: 'command', workerId })

describe('news', () => {
  it('of every kind are heard by the others and not by the teller', async () => {
    const { url, store } = await database()
    const [a, b, c] = [await listening(url, store), await listening(url, store), await listening(url, store)]
    const all: News[] = [
      { kind: 'events', taskId: 't', seq: 7, hasOwn: false },
      { kind: 'events', taskId: 'u', seq: 1, hasOwn: true },
      command('w'),
      { kind: 'result', commandId: 'r' },
      { kind: 'queue' },
    ]
    for (const news of all) a.bus.tell(news)
    await expect.poll(() => b.heard).toEqual(all)
    await expect.poll(() => c.heard).toEqual(all)
    b.bus.tell(command('x'))
    await expect.poll(() => a.heard).toEqual([command('x')])
  })

  it('of one task are told as one, with the newest sequence', async () => {
    const { url, store } = await database()
    const [a, b] = [await listening(url, store), await listening(url, store)]
    for (const seq of [1, 3, 2]) a.bus.tell({ kind: 'events', taskId: 't', seq, hasOwn: seq === 1 })
    await expect.poll(() => b.heard).toEqual([{ kind: 'events', taskId: 't', seq: 3, hasOwn: true }])
    for (let seq = 4; seq <= 2_000; seq++) {
      a.bus.tell({ kind: 'events', taskId: 't', seq })
      if (seq % 20 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    await expect.poll(() => b.heard.at(-1)).toMatchObject({ seq: 2_000 })
    expect(b.heard.length).toBeLessThan(50)
  })

  it('for which one payload is too small come in several; what fits into none is left out', async () => {
    const { url, store } = await database()
    const [a, b] = [await listening(url, store), await listening(url, store)]
    const ids = Array.from({ length: 1_000 }, (_, index) => `${index} ${'ä"'.repeat(30)}`)
    a.bus.tell(command('x'.repeat(8_000)))
    for (const id of ids) a.bus.tell(command(id))
    await expect.poll(() => b.heard).toEqual(ids.map(command))
  })

  it('that cannot be sent are dropped, and the next are told', async () => {
    const { url, store } = await database()
    const [a, b] = [await worker(url, store), await listening(url, store)]
    await sql`create schema broken`.execute(store.db)
    await sql`create function broken.pg_notify(text, text) returns void language plpgsql
      as $$ begin raise 'no'; end $$`.execute(store.db)
    const other = await openPostgres({ url, poolSize: 1 })
    onTestFinished(() => other.close())
    await sql`set search_path = broken, pg_catalog`.execute(other.db)
    const teller = await openBus({ url, db: other.db, self: 'x', onError: () => {}, timing: TIMING })
    onTestFinished(() => teller.close())
    teller.tell(command('dropped'))
    await new Promise((resolve) => setTimeout(resolve, 100))
    await sql`set search_path = public`.execute(other.db)
    teller.tell(command('told'))
    await expect.poll(() => [a.heard, b.heard]).toEqual([[command('told')], [command('told')]])
  })

  it('that other programs send on the channel are passed by', async () => {
    const { url, store } = await database()
    const [a, b] = [await listening(url, store), await listening(url, store)]
    for (const text of [
      '',
      'x',
      '{}',
      '[]',
      'null',
      '{"from":1,"news":[]}',
      '{"from":"x","news":[1,["e"],["z","q"],[]]}',
    ])
      await sql`select pg_notify('drawbridge', ${text})`.execute(store.db)
    b.bus.tell({ kind: 'queue' })
    await expect.poll(() => a.heard).toEqual([{ kind: 'queue' }])
  })
})

describe('the connection that listens', () => {
  it('is made again when the server ends it, and says that news may be missing', async () => {
    const { url, store } = await database()
    const [a, b] = [await listening(url, store), await listening(url, store)]
    expect(b.gaps()).toBe(1)
    await sql`select pg_terminate_backend(${await b.pid()})`.execute(store.db)
    await expect.poll(b.gaps).toBe(2)
    a.bus.tell(command('w'))
    await expect.poll(() => b.heard).toEqual([command('w')])
    await expect.poll(() => b.bus.isListening).toBe(true)
  })

  it('that is cut is made again', async () => {
    const { teller, hearer, proxy } = await proxied()
    for (let round = 2; round <= 5; round++) {
      proxy.cut()
      await expect.poll(hearer.gaps).toBe(round)
      teller.bus.tell(command(`${round}`))
      await expect.poll(() => hearer.heard.at(-1)).toEqual(command(`${round}`))
    }
  })

  it('that is silently dead is noticed and made again', async () => {
    const { teller, hearer, proxy } = await proxied()
    proxy.freeze()
    await expect.poll(() => hearer.bus.isListening, { timeout: 5_000 }).toBe(false)
    teller.bus.tell(command('missed'))
    proxy.thaw()
    await expect.poll(hearer.gaps, { timeout: 5_000 }).toBeGreaterThan(1)
    teller.bus.tell(command('w'))
    await expect.poll(() => hearer.heard.at(-1)).toEqual(command('w'))
  })

  it('is tried for again and again while it cannot be had', async () => {
    const { teller, hearer, proxy } = await proxied()
    proxy.refuse(true)
    proxy.cut()
    await expect.poll(() => hearer.bus.isListening).toBe(false)
    hearer.bus.tell(command('t'))
    await expect.poll(() => teller.heard).toEqual([command('t')])
    proxy.refuse(false)
    await expect.poll(() => hearer.bus.isListening, { timeout: 5_000 }).toBe(true)
  })

  it('never has an open transaction', async () => {
    const { url, store } = await database()
    const b = await listening(url, store)
    const pid = await b.pid()
    for (let look = 0; look < 20; look++) {
      const { rows } = await sql<{ state: string; xact_start: unknown }>`
        select state, xact_start from pg_stat_activity where pid = ${pid}`.execute(store.db)
      if (rows[0]!.state !== 'active') expect(rows).toEqual([{ state: 'idle', xact_start: null }])
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  })

  it('ends with the bus, also while it is being made', async () => {
    const { url, store } = await database()
    const proxy = await tcpProxy(Number(new URL(url).port))
    const b = await listening(proxy.through(url), store)
    await b.bus.close()
    await expect.poll(() => proxy.count).toBe(0)
    expect(b.bus.isListening).toBe(false)
    proxy.freeze()
    const c = await worker(proxy.through(url), store)
    await expect.poll(() => proxy.count).toBe(1)
    await c.bus.close()
    proxy.thaw()
    await expect.poll(() => proxy.count).toBe(0)
  })
})
