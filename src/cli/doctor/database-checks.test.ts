import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { freshDatabase } from '../../../test/support/postgres/fresh-database.ts'
import { openDatabase } from '../../tasks/index.ts'
import { checkDatabases, checkStore } from './database-checks.ts'

it('warns of a damaged database that was set aside, and says nothing of a good one', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'database-checks-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const dataDir = path.join(folder, 'data')
  const { file, close } = await openDatabase({ dataDir, now: Date.now })
  await close()
  expect(await checkDatabases(dataDir)).toEqual([])
  truncateSync(file, 0)
  const { repair, close: closeAgain } = await openDatabase({ dataDir, now: Date.now })
  await closeAgain()
  expect(await checkDatabases(dataDir)).toEqual([
    {
      id: 'database',
      status: 'warn',
      what: expect.stringMatching(/^The database was damaged \(the file is empty\) and has been repaired\./),
      fix: expect.stringContaining(repair!.setAside),
    },
  ])
  writeFileSync(`${repair!.setAside}.json`, '{')
  expect(await checkDatabases(dataDir)).toEqual([])
})

it('says nothing of a data folder that is not there', async () => {
  expect(await checkDatabases('/nowhere/at/all')).toEqual([])
})

it('says which database is used, without its password, and whether it answers', async () => {
  const folder = '/nowhere/at/all'
  expect(await checkStore(folder, {})).toMatchObject({ status: 'ok', what: 'SQLite in /nowhere/at/all' })
  const url = await freshDatabase()
  const found = await checkStore(folder, { DATABASE_URL: url })
  expect(found).toMatchObject({ status: 'ok', what: expect.stringMatching(/^PostgreSQL \d+.* at postgres:/) })
  const wrong = Object.assign(new URL(url), { password: 'hunter22' }).href
  const refused = await checkStore(folder, { DATABASE_URL: wrong })
  expect(refused).toMatchObject({ status: 'fail', what: expect.stringContaining('check the password') })
  const foreign = await checkStore(folder, { DATABASE_URL: 'mysql://root:hunter22@db/shop' })
  expect(foreign).toMatchObject({ status: 'fail', what: expect.stringContaining('DATABASE_URL is not') })
  const { password } = new URL(url)
  expect(JSON.stringify([found, refused, foreign])).not.toMatch(new RegExp(`hunter22|${password}`))
})
