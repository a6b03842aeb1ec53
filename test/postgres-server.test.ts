// The server that tests use: they rely on it being gone afterwards, and on faults being what they say.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freshDatabase } from './support/postgres/fresh-database.ts'
import { startPostgres } from './support/postgres/server.ts'

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new Client(url)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

describe('a fresh database', () => {
  it('is empty and its own', async () => {
    const [one, other] = await Promise.all([freshDatabase(), freshDatabase()])
    await query(one, 'create table only_here (id int)')
    const tables = `select tablename from pg_tables where schemaname = 'public'`
    expect(await query(one, tables)).toEqual([{ tablename: 'only_here' }])
    expect(await query(other, tables)).toEqual([])
  })

  it('compares text by the rules of a language, so that a missing collation shows', async () => {
    const url = await freshDatabase()
    expect(await query(url, `select 'a' < 'B' as is_less`)).toEqual([{ is_less: true }])
  })
})

describe('a server of its own', () => {
  it('keeps what was committed over restarts and kills', async () => {
    const server = await startPostgres({ isDurable: true })
    onTestFinished(() => server.close())
    const url = server.url('postgres')
    await query(url, 'create table kept (id int)')
    const faults = [
      () => server.restart('fast'),
      () => server.restart('immediate'),
      async () => {
        await server.kill()
        await expect(query(url, 'select 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
        await server.start()
      },
    ]
    for (const [index, fault] of faults.entries()) {
      await query(url, `insert into kept values (${index})`)
      await fault()
      expect(await query(url, 'select count(*)::int as count from kept')).toEqual([{ count: index + 1 }])
    }
    expect(await query(url, 'show fsync')).toEqual([{ fsync: 'on' }])
  })

  it('ends with the process that started it, also when that is killed', async () => {
    const program = fileURLToPath(new URL('./fixtures/hold-postgres.ts', import.meta.url))
    const holder = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = (await once(createInterface({ input: holder.stdout }), 'line')) as [string]
    const { url, folder } = JSON.parse(line)
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
    holder.kill('SIGKILL')
    await expect.poll(() => existsSync(folder), { timeout: 20_000 }).toBe(false)
    await expect(query(url, 'select 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })
})
