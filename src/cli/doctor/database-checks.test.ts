import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '../../tasks/index.ts'
import { checkDatabases } from './database-checks.ts'

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
