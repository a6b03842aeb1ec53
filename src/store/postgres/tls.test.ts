// TLS with a real server and certificate.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, startPostgres } from '../../../test/support/postgres/server.ts'
import { selfSigned } from '../../../test/support/self-signed.ts'
import { openPostgres } from './open-postgres.ts'

let server: PostgresServer
let folder: string
let root: string
let foreign: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'drawbridge-tls-'))
  const tls = await selfSigned('IP:127.0.0.1')
  root = path.join(folder, 'root.pem')
  foreign = path.join(folder, 'foreign.pem')
  await writeFile(root, tls.certificate)
  await writeFile(foreign, (await selfSigned('IP:127.0.0.1')).certificate)
  server = await startPostgres({ tls })
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

async function isEncrypted(parameters: string, host = '127.0.0.1'): Promise<boolean> {
  const url = `${server.url('postgres').replace('127.0.0.1', host)}?${parameters}`
  const { db, close } = await openPostgres({ url })
  const { rows } = await sql<{
    ssl: boolean
  }>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`.execute(db)
  await close()
  return rows[0]!.ssl
}

describe('sslmode', () => {
  it('disable sends everything in the clear', async () => {
    expect(await isEncrypted('sslmode=disable')).toBe(false)
  })

  it('require encrypts, whoever the server is, unless a root certificate is named', async () => {
    expect(await isEncrypted('sslmode=require')).toBe(true)
    expect(await isEncrypted(`sslmode=require&sslrootcert=${root}`)).toBe(true)
    expect(await isEncrypted(`sslmode=require&sslrootcert=${root}`, 'localhost')).toBe(true)
    await expect(isEncrypted(`sslmode=require&sslrootcert=${foreign}`)).rejects.toMatchObject({
      code: 'database-unreachable',
      message: expect.stringContaining('sslrootcert'),
    })
  })

  it('verify-full wants a certificate of the root, for this name', async () => {
    expect(await isEncrypted(`sslmode=verify-full&sslrootcert=${root}`)).toBe(true)
    for (const [parameters, host] of [
      ['sslmode=verify-full', '127.0.0.1'],
      [`sslmode=verify-full&sslrootcert=${foreign}`, '127.0.0.1'],
      [`sslmode=verify-full&sslrootcert=${root}`, 'localhost'],
    ] as const)
      await expect(isEncrypted(parameters, host)).rejects.toMatchObject({ code: 'database-unreachable' })
  })

  it('says so when the root certificate cannot be read', async () => {
    await expect(isEncrypted('sslmode=verify-full&sslrootcert=/nowhere.pem')).rejects.toMatchObject({
      code: 'bad-database-url',
      message: expect.stringContaining('/nowhere.pem'),
    })
  })
})
