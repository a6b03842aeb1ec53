import { createServer } from 'node:net'
import { inspect } from 'node:util'
import { type Kysely, sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../../test/support/free-port.ts'
import { freshDatabase } from '../../../test/support/postgres/fresh-database.ts'
import { openPostgres } from '../index.ts'
import type { Database } from '../schema.ts'
import type { OpenPostgresOptions } from './open-postgres.ts'

async function opened(options: OpenPostgresOptions) {
  const store = await openPostgres(options)
  onTestFinished(() => store.close())
  return store
}

/** The same address with some parts changed. */
function changed(
  url: string,
  parts: Partial<Pick<URL, 'username' | 'password' | 'port' | 'pathname'>>,
): string {
  return Object.assign(new URL(url), parts).href
}

async function refusal(options: OpenPostgresOptions): Promise<Error> {
  const error = await openPostgres(options).then(
    (store) => store.close().then(() => new Error('was opened')),
    (error: Error) => error,
  )
  const { password } = new URL(options.url)
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(password)
  return error
}

async function sessionsBeingOpened(db: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
    where state = 'starting'`.execute(db)
  return rows[0]!.count
}

describe('without a connection it says why', () => {
  it('nothing listens there', async () => {
    const port = await freePort()
    expect(await refusal({ url: `postgres://me:s3cret@127.0.0.1:${port}/data` })).toMatchObject({
      code: 'database-unreachable',
      retryable: true,
      message: `cannot connect to postgres://me@127.0.0.1:${port}/data: connect ECONNREFUSED 127.0.0.1:${port}.`,
    })
  })

  it('what listens there says nothing', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void silent.close())
    await new Promise((resolve) => silent.once('listening', resolve))
    const { port } = silent.address() as { port: number }
    const url = `postgres://me:s3cret@127.0.0.1:${port}/data`
    expect(await refusal({ url, connectTimeoutMs: 100 })).toMatchObject({
      code: 'database-unreachable',
      message: expect.stringContaining('timeout'),
    })
  })

  it('the password is wrong', async () => {
    const url = changed(await freshDatabase(), { password: 'wr0ngpassw0rd' })
    expect(await refusal({ url })).toMatchObject({
      code: 'database-login-failed',
      retryable: false,
      message: expect.stringMatching(/does not let the user postgres in: .* \(check the password\)$/),
    })
  })

  it('no password is given', async () => {
    const given = await freshDatabase('migrated')
    const url = changed(given, { password: '' })
    await expect(openPostgres({ url })).rejects.toMatchObject({
      code: 'database-login-failed',
      message: expect.stringContaining('asks for a password (no password was given)'),
    })
    // Nothing of ours is left half-way: dropping a database would wait for it.
    const { db } = await opened({ url: given })
    await expect.poll(() => sessionsBeingOpened(db)).toBe(0)
  })

  it('there is no such database', async () => {
    const url = changed(await freshDatabase(), { pathname: '/no_such_data' })
    expect(await refusal({ url })).toMatchObject({
      code: 'database-not-found',
      message: expect.stringContaining('there is no database no_such_data at postgres://postgres@127.0.0.1'),
    })
  })

  it('no connection is left', async () => {
    const url = await freshDatabase('migrated')
    const { db } = await opened({ url })
    // A limit holds for those who own nothing.
    await sql`create role guest_of_one login password 'gu3st' connection limit 0`.execute(db)
    onTestFinished(async () => {
      const again = await openPostgres({ url })
      await sql`drop role guest_of_one`.execute(again.db)
      await again.close()
    })
    expect(
      await refusal({ url: changed(url, { username: 'guest_of_one', password: 'gu3st' }) }),
    ).toMatchObject({
      code: 'database-full',
      retryable: true,
      message: expect.stringContaining('has no connection left'),
    })
  })

  it('the server is older than 14', async () => {
    const url = await freshDatabase()
    const { db } = await opened({ url })
    // This server says of itself that it is PostgreSQL 13.
    await sql`create schema old`.execute(db)
    await sql`create function old.current_setting(text) returns text language sql as $$ select '130011' $$`.execute(
      db,
    )
    const name = sql.ref(new URL(url).pathname.slice(1))
    await sql`alter database ${name} set search_path = old, pg_catalog, public`.execute(db)
    expect(await refusal({ url })).toMatchObject({
      code: 'database-too-old',
      message: expect.stringContaining('is PostgreSQL 13; Drawbridge needs 14 or newer'),
      details: { major: 13 },
    })
  })

  it('the server has no TLS, and TLS is asked for', async () => {
    const url = `${await freshDatabase()}?sslmode=require`
    expect(await refusal({ url })).toMatchObject({
      code: 'database-unreachable',
      retryable: false,
      message: expect.stringContaining('Add sslmode=disable to the address'),
    })
  })
})

describe('a connection', () => {
  it('has the settings that were asked for', async () => {
    const url = await freshDatabase('migrated')
    const options = { applicationName: 'worker 7', statementTimeoutMs: 50, poolSize: 3 }
    const { db, reader } = await opened({ url, ...options })
    const shown = await sql<Record<string, string>>`show application_name`.execute(db)
    expect(shown.rows).toEqual([{ application_name: 'worker 7' }])
    await expect(sql`select pg_sleep(20)`.execute(db)).rejects.toMatchObject({ code: '57014' })
    const many = [db, reader].flatMap((each) => Array.from({ length: 20 }, () => sql`select 1`.execute(each)))
    await Promise.all(many)
    const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
      where application_name = 'worker 7'`.execute(db)
    expect(rows[0]!.count).toBe(3)
  })

  it('for writing is there however long readers take', async () => {
    const { db, reader } = await opened({ url: await freshDatabase('migrated'), poolSize: 4 })
    const slow = Array.from({ length: 8 }, () => sql`select pg_sleep(0.4)`.execute(reader))
    let isSlowDone = false
    const all = Promise.all(slow).then(() => {
      isSlowDone = true
    })
    await sql`select 1`.execute(db)
    expect(isSlowDone).toBe(false)
    await all
  })

  it('that does nothing in a transaction is ended, and its locks are free', async () => {
    const url = await freshDatabase('migrated')
    const [{ db }, other] = [await opened({ url, idleInTransactionMs: 100 }), await opened({ url })]
    const locked = Promise.withResolvers<void>()
    const freed = Promise.withResolvers<void>()
    const frozen = db.transaction().execute(async (trx) => {
      await sql`lock table workers in exclusive mode`.execute(trx)
      locked.resolve()
      await freed.promise
      await sql`select 1`.execute(trx)
    })
    await locked.promise
    await other.db.transaction().execute((trx) => sql`lock table workers in exclusive mode`.execute(trx))
    freed.resolve()
    await expect(frozen).rejects.toThrow()
    expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
  })

  it('that the server ended is replaced', async () => {
    const url = await freshDatabase('migrated')
    const [{ db }, other] = [await opened({ url, poolSize: 1 }), await opened({ url })]
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
    await sql`select pg_terminate_backend(${rows[0]!.pid})`.execute(other.db)
    await expect
      .poll(() =>
        sql`select 1 as one`.execute(db).then(
          (result) => result.rows,
          () => null,
        ),
      )
      .toEqual([{ one: 1 }])
  })

  it('never shows its password', async () => {
    const url = await freshDatabase('migrated')
    const store = await opened({ url })
    await sql`select 1`.execute(store.db)
    const { password } = new URL(url)
    expect(inspect(store, { depth: 20, showHidden: true })).not.toContain(password)
    expect(store.shownUrl).not.toContain(password)
    const error = await sql`select nothing`.execute(store.db).catch((error: unknown) => error)
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(password)
  })
})
