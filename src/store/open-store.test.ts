import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../test/support/free-port.ts'
import { freshDatabase } from '../../test/support/postgres/fresh-database.ts'
import { startPostgres } from '../../test/support/postgres/server.ts'
import { taskRow } from './fixtures/sample-rows.ts'
import { type OpenStoreOptions, openStore } from './open-store.ts'

async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'open-store-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return path.join(folder, 'data')
}

async function opened(options: Pick<OpenStoreOptions, 'dataDir' | 'url'> & Partial<OpenStoreOptions>) {
  const store = await openStore({ now: Date.now, ...options })
  onTestFinished(() => store.close())
  return store
}

it('opens SQLite in the data folder without an address', async () => {
  const dataDir = await dataFolder()
  const store = await opened({ dataDir, url: null })
  const file = path.join(dataDir, 'drawbridge.db')
  expect(store).toMatchObject({ kind: 'sqlite', file, shownPlace: file, unusedFile: null, repair: null })
  expect(await store.isReachable()).toBe(true)
})

it('opens PostgreSQL with one, shows it without the password and makes no file', async () => {
  const [dataDir, url] = [await dataFolder(), await freshDatabase()]
  const store = await opened({ dataDir, url })
  expect(store).toMatchObject({
    kind: 'postgres',
    file: null,
    unusedFile: null,
    repair: null,
    migrated: null,
  })
  expect(store.shownPlace).toMatch(/^postgres:\/\/[^:]+@/)
  expect(store.shownPlace).not.toContain(new URL(url).password)
  expect(await store.isReachable()).toBe(true)
  expect(existsSync(path.join(dataDir, 'drawbridge.db'))).toBe(false)
})

it('lets one service have a data folder, whichever databases two of them use', async () => {
  const [dataDir, url] = [await dataFolder(), await freshDatabase('migrated')]
  const store = await opened({ dataDir, url })
  await store.announce('http://127.0.0.1:4100')
  for (const other of [url, null])
    await expect(openStore({ dataDir, url: other, now: Date.now })).rejects.toMatchObject({
      code: 'data-folder-in-use',
      message: expect.stringMatching(/ is in use by process \d+, since .*, at http:\/\/127\.0\.0\.1:4100\. /),
    })
  await store.close()
  await opened({ dataDir, url: null })
})

it('tells of the SQLite file of the folder while PostgreSQL has no task', async () => {
  const [dataDir, url] = [await dataFolder(), await freshDatabase('migrated')]
  const { file, close } = await opened({ dataDir, url: null })
  await close()
  const shared = await opened({ dataDir, url })
  expect(shared.unusedFile).toBe(file)
  await shared.db.insertInto('tasks').values(taskRow('a')).execute()
  await shared.close()
  expect((await opened({ dataDir, url })).unusedFile).toBeNull()
})

it('waits for a database that is not there yet, and tells it', async () => {
  const server = await startPostgres()
  onTestFinished(() => server.close())
  const url = server.url('postgres')
  await server.stop()
  const told: string[] = []
  const waiting = Promise.withResolvers<void>()
  const onWaiting = (line: string) => {
    told.push(line)
    waiting.resolve()
  }
  const opening = opened({ dataDir: await dataFolder(), url, onWaiting })
  await waiting.promise
  await server.start()
  expect(await (await opening).isReachable()).toBe(true)
  expect(told[0]).toMatch(/^Waiting for the database, 30 s more: cannot connect to postgres:\/\//)
  expect(told.join()).not.toContain(new URL(url).password)
})

it('gives up after its time, at once when told to, and lets go of the folder', async () => {
  const dataDir = await dataFolder()
  const url = `postgres://me:hunter22@127.0.0.1:${await freePort()}/none`
  const failed = openStore({ dataDir, url, now: Date.now, waitMs: 600 })
  await expect(failed).rejects.toMatchObject({ code: 'database-unreachable', retryable: true })
  const controller = new AbortController()
  const reason = new Error('enough')
  const onWaiting = () => controller.abort(reason)
  await expect(openStore({ dataDir, url, now: Date.now, onWaiting, signal: controller.signal })).rejects.toBe(
    reason,
  )
  await opened({ dataDir, url: null })
})

it('does not wait for what waiting cannot change', async () => {
  const wrong = new URL(await freshDatabase())
  wrong.pathname = '/missing'
  const told: string[] = []
  const opening = openStore({
    ...{ dataDir: await dataFolder(), url: wrong.href, now: Date.now },
    onWaiting: (line) => told.push(line),
  })
  await expect(opening).rejects.toMatchObject({ code: 'database-not-found' })
  expect(told).toEqual([])
})
