// The log of a worker on a PostgreSQL server that goes away and comes back.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type PostgresServer, startPostgres } from '../../../test/support/postgres/server.ts'
import { serverAccount } from '../../../test/support/postgres/server-account.ts'
import { countedLog, countIn, heard, makeTasks, storedOf } from '../fixtures/counted-log.ts'
import { openPostgres } from '../postgres/open-postgres.ts'

const range = (count: number) => Array.from({ length: count }, (_, index) => index)

/** One for all of these tests, each on a database of its own. */
let server: PostgresServer

beforeAll(async () => {
  const few = { max_connections: 8, superuser_reserved_connections: 0 }
  const settings = { ...few, max_wal_senders: 0, wal_level: 'minimal', autovacuum: 'off' }
  // Durable: what a server with `synchronous_commit = off` forgets in a crash nobody can know.
  server = await startPostgres({ isDurable: true, settings })
}, 60_000)
afterAll(() => server.close())

async function opened() {
  const name = `test_${randomBytes(4).toString('hex')}`
  const admin = new Client(server.url('postgres'))
  await admin.connect()
  await admin.query(`create database ${name} template template0`)
  await admin.end()
  const url = server.url(name)
  const direct = await openPostgres({ url, poolSize: 1 })
  onTestFinished(() => direct.close())
  await makeTasks(direct.db, ['t'])
  const shared = await countedLog({ url, poolSize: 4 }, { direct: direct.db })
  await shared.log.open('t')
  return { url, direct: direct.db, shared }
}

describe('a server that crashes', () => {
  it('five times while groups are written loses nothing and makes nothing twice', {
    timeout: 120_000,
  }, async () => {
    const { direct, shared } = await opened()
    const made: Promise<void>[] = []
    let isOver = false
    const writing = (async () => {
      for (let index = 0; !isOver; index++) {
        shared.log.append('t', heard(`e${index}`))
        made.push(countIn(shared, 't', `c${index}`))
        // Groups of some, and not more than the log can take.
        if (index % 7 === 0) await made.at(-1)
      }
    })()
    for (const round of range(5)) {
      const before = shared.resolved.length
      await expect.poll(() => shared.resolved.length, { timeout: 30_000 }).toBeGreaterThan(before + 30)
      if (round % 2 === 0) await server.restart('immediate')
      else {
        await server.kill()
        await server.start()
      }
    }
    isOver = true
    await writing
    await Promise.all(made)
    const marks = made.map((_, index) => `c${index}`)
    const stored = await expect
      .poll(() => storedOf(direct, 't').catch(() => null), { timeout: 10_000 })
      .not.toBeNull()
      .then(() => storedOf(direct, 't'))
    expect(stored.changes).toEqual(marks)
    expect(stored.appended).toEqual(marks.map((mark) => mark.replace('c', 'e')))
    expect(stored.seqs).toEqual(range(marks.length * 2).map((index) => index + 1))
    expect(stored.turnCount).toBe(marks.length)
    expect([shared.effects, shared.resolved]).toEqual([marks, marks])
    expect([shared.broken, shared.lost, shared.log.failingSince]).toEqual([[], [], null])
    expect(marks.length).toBeGreaterThan(150)
  })
})

describe('a server that is away for 10 s', () => {
  it('costs the oldest deltas beyond the bound, which is told, and nothing else', async () => {
    const { direct, shared } = await opened()
    await server.stop('fast')
    const downAt = Date.now()
    shared.log.append('t', heard('first'))
    const changes = range(10).map((index) => countIn(shared, 't', `c${index}`))
    for (const index of range(60_000)) {
      shared.log.append('t', heard(`d${index}`, true))
      if (index % 600 === 0) shared.log.append('t', heard(`e${index}`))
    }
    await delay(10_000)
    expect(shared.log.failingSince).toBeGreaterThanOrEqual(downAt)
    expect(Date.now() - shared.log.failingSince!).toBeGreaterThan(9_000)
    expect([shared.resolved, shared.effects]).toEqual([[], []])
    expect(shared.log.backlog).toBeLessThanOrEqual(50_000 + 101)
    await server.start()
    await Promise.all(changes)
    await shared.log.flushed()
    expect(shared.log.failingSince).toBeNull()
    await expect.poll(() => sql`select 1`.execute(direct).catch(() => null)).not.toBeNull()
    const { appended, changes: said, turnCount, seqs } = await storedOf(direct, 't')
    expect([turnCount, shared.effects.length]).toEqual([10, 10])
    expect(new Set(seqs).size).toBe(seqs.length)
    expect(appended.filter((mark) => !mark.startsWith('d'))).toEqual([
      'first',
      ...range(100).map((index) => `e${index * 600}`),
    ])
    const deltas = appended.filter((mark) => mark.startsWith('d'))
    const dropped = 60_000 - deltas.length
    // The newest are there without a gap.
    expect(deltas).toEqual(range(deltas.length).map((index) => `d${dropped + index}`))
    expect(deltas.length).toBeGreaterThanOrEqual(45_000)
    const told = said.filter((message) => message.includes('deltas were dropped'))
    expect(told.map((message) => Number(/(\d+) deltas/.exec(message)![1]))).toEqual([dropped])
  })
})

describe('a server without a connection left', () => {
  it('is waited for', async () => {
    const { url, direct, shared } = await opened()
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(direct)
    const holders = await takeAll(url)
    expect(holders.length).toBeGreaterThan(0)
    const made = countIn(shared, 't', 'c0')
    await expect.poll(() => shared.log.failingSince).not.toBeNull()
    expect(shared.resolved).toEqual([])
    for (const holder of holders) await holder.end()
    await made
    const { changes, turnCount } = await storedOf(direct, 't')
    expect([changes, turnCount, shared.effects, shared.broken]).toEqual([['c0'], 1, ['c0'], []])
  })
})

describe('a server whose disk is full', () => {
  it('is waited for until there is room again', async ({ skip }) => {
    const { direct, shared } = await opened()
    const disk = await smallDisk(path.join(server.folder, 'small'))
    if (disk === null) skip('no right to mount a disk')
    await sql`create tablespace small location ${sql.lit(disk!.folder)}`.execute(direct)
    await sql`alter table events set tablespace small`.execute(direct)
    await disk!.fill()
    const large = (index: number) => ({ ...heard(`e${index}`), raw: largeFrame(index) })
    for (const index of range(50)) shared.log.append('t', large(index))
    const made = countIn(shared, 't', 'c0')
    await expect.poll(() => shared.log.failingSince, { timeout: 10_000 }).not.toBeNull()
    expect(shared.resolved).toEqual([])
    await disk!.makeRoom()
    await made
    const { appended, changes, turnCount } = await storedOf(direct, 't')
    expect(appended).toEqual(range(50).map((index) => `e${index}`))
    expect([changes, turnCount, shared.effects, shared.broken]).toEqual([['c0'], 1, ['c0'], []])
  })
})

/** Nothing that could be packed. */
function largeFrame(index: number): string {
  return JSON.stringify({ mark: `e${index}`, noise: randomBytes(60_000).toString('base64') })
}

/** A disk of 8 MB, for as long as the test runs; null where that is not allowed. */
async function smallDisk(folder: string) {
  const run = promisify(execFile)
  await mkdir(folder)
  const mounted = await run('mount', ['-t', 'tmpfs', '-o', 'size=8m,mode=0777', 'none', folder]).catch(
    () => null,
  )
  if (mounted === null) return null
  onTestFinished(async () => void (await run('umount', ['--lazy', folder])))
  const account = await serverAccount()
  const data = path.join(folder, 'data')
  await mkdir(data, { mode: 0o700 })
  if (account) await chown(data, account.uid, account.gid)
  const filler = path.join(folder, 'filler')
  return {
    folder: data,
    fill: () => writeFile(filler, Buffer.alloc(16 * 1024 * 1024)).catch(() => {}),
    makeRoom: () => rm(filler),
  }
}

/** Every connection that the server gives. */
async function takeAll(url: string): Promise<Client[]> {
  const taken: Client[] = []
  for (;;) {
    const client = new Client(url)
    client.on('error', () => {})
    try {
      await client.connect()
    } catch (error) {
      expect(error).toMatchObject({ code: '53300' })
      return taken
    }
    taken.push(client)
  }
}
