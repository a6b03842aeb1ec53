// Accounts on two workers that share PostgreSQL, each a process of its own: one has the login at a time, whatever becomes of
// the other, and a login of before is never stored over the one of now.
import { randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import type { Task } from '../../../src/api/index.ts'
import { appServerPool } from '../../../src/hosts/index.ts'
import {
  codexConfig,
  lastUserText,
  makeWorkspace,
  message,
  startScriptedModel,
} from '../../../src/testing/index.ts'
import { KillableService } from '../../faults/kill/killable-service.ts'
import { startAccountIssuer } from '../../support/account-issuer.ts'
import { freePort } from '../../support/free-port.ts'
import { freshDatabase } from '../../support/postgres/fresh-database.ts'

async function openStage() {
  const model = await startScriptedModel((request) => message(`to ${lastUserText(request)}`))
  const issuer = await startAccountIssuer(model)
  const workspace = await makeWorkspace()
  const url = await freshDatabase('migrated')
  const database = new Client(url)
  await database.connect()
  onTestFinished(async () => {
    await database.end()
    await issuer.close()
    await model.close()
    await workspace.remove()
  })
  const key = randomBytes(32).toString('base64url')

  async function worker(name: string, accountKey = key) {
    const data = await makeWorkspace()
    const dataDir = data.path
    const service = new KillableService(dataDir, await freePort(), {
      settings: { worker: { name, leaseMs: 3_000 }, appServers: { idleMs: 1_000 } },
      env: {
        ...issuer.env,
        ...{ DATABASE_URL: url, DRAWBRIDGE_ACCOUNT_KEY: accountKey, CODEX_HOME: path.join(dataDir, 'none') },
      },
      actor: name,
    })
    onTestFinished(async () => {
      await service.kill()
      const heir = appServerPool({ dataDir })
      await heir.adopt()
      await heir.endAll()
      await data.remove()
    })
    await service.start()
    const run = async (prompt: string, account: string, keepOpen = false): Promise<Task> => {
      const { tasks } = service.client
      const { id } = await tasks.start({ prompt, cwd: workspace.path, account, on: name, keepOpen })
      return tasks.wait(id, { timeoutMs: 60_000 })
    }
    return { service, client: service.client, run, homeOf: (id: string) => homeIn(dataDir, id) }
  }

  return { issuer, worker, database, url, cwd: workspace.path, config: codexConfig(model, issuer.home) }
}

const homeIn = (dataDir: string, id: string) => path.join(dataDir, 'accounts', id, 'home')

it('a login moves between workers, and one that was frozen or killed can neither use nor store its own any more', async () => {
  const { issuer, worker, database, config, cwd } = await openStage()
  const [a, b] = await Promise.all([worker('a'), worker('b')])
  const login = { type: 'authJson', authJson: issuer.login('acc').authJson } as const
  const { id } = await a.client.accounts.add({ name: 'acc', config, login })
  const leaseOf = async () => {
    const { rows } = await database.query('select lease_holder, lease_generation, login from accounts')
    return rows[0] as { lease_holder: string | null; lease_generation: number; login: string }
  }
  /** As if its holder had been silent for the quarter of an hour that a lease lasts. */
  const silence = () => database.query('update accounts set lease_until = 1')

  const first = await a.run('one', 'acc', true)
  expect(first).toMatchObject({ status: 'idle', result: { text: 'to one' } })
  const { lease_holder: holderA } = await leaseOf()
  // The other waits, says why, and goes on when the app-server of the first has been idle long enough.
  const waiting = await b.client.tasks.start({ prompt: 'two', cwd, account: 'acc', on: 'b', keepOpen: true })
  const two = await b.client.tasks.wait(waiting.id, { timeoutMs: 60_000 })
  expect(two).toMatchObject({ status: 'idle', result: { text: 'to two' } })
  const { events } = await b.client.tasks.events(waiting.id, { limit: 500 })
  const reasons = events.map(({ event }) => (event.params as { reason?: string } | undefined)?.reason)
  expect(reasons.filter((reason) => reason?.includes('is used by another worker')).length).toBeGreaterThan(0)
  await expect.poll(() => existsSync(path.join(a.homeOf(id), 'auth.json'))).toBe(false)
  const held = await leaseOf()
  expect(held.lease_holder).not.toBe(holderA)

  // b is frozen with the login planted; a takes it after the silence, and codex renews it there.
  process.kill(b.service.pid, 'SIGSTOP')
  await silence()
  issuer.expire('acc')
  expect(await a.run('three', 'acc')).toMatchObject({ status: 'completed', result: { text: 'to three' } })
  expect(issuer.family('acc').refreshes).toBe(1)
  // What the frozen worker's codex might have written meanwhile.
  const stale = path.join(b.homeOf(id), 'auth.json')
  if (existsSync(stale))
    writeFileSync(stale, issuer.login('acc-stale').authJson.replaceAll('acc-stale', 'acc'))
  await expect.poll(async () => (await leaseOf()).lease_holder, { timeout: 60_000 }).toBeNull()
  const { login: kept } = await leaseOf()
  process.kill(b.service.pid, 'SIGCONT')
  await expect.poll(() => existsSync(stale), { timeout: 30_000 }).toBe(false)
  expect((await leaseOf()).login).toBe(kept)
  expect(await b.run('four', 'acc', true)).toMatchObject({ result: { text: 'to four' } })

  // b is killed with the login planted: a takes it, and what b finds at its next start is neither stored nor used.
  await b.service.kill()
  await silence()
  issuer.expire('acc')
  expect(await a.run('five', 'acc')).toMatchObject({ status: 'completed', result: { text: 'to five' } })
  await b.service.start()
  await expect.poll(() => existsSync(stale), { timeout: 30_000 }).toBe(false)
  expect(await b.run('six', 'acc')).toMatchObject({ status: 'completed', result: { text: 'to six' } })
  expect(issuer.reused).toEqual([])
}, 180_000)

it('a pool gives each worker an account of its own, and a worker with another key opens and overwrites nothing', async () => {
  const { issuer, worker, database, config, cwd } = await openStage()
  const [a, b] = await Promise.all([worker('a'), worker('b')])
  for (const name of ['acc-1', 'acc-2']) {
    const login = { type: 'authJson', authJson: issuer.login(name).authJson } as const
    await a.client.accounts.add({ name, config, login, pools: ['team'] })
  }
  for (const name of ['acc-1', 'acc-2']) issuer.expire(name)
  const tasks = await Promise.all([a.run('one', 'pool:team', true), b.run('two', 'pool:team', true)])
  expect(tasks.map(({ status }) => status)).toEqual(['idle', 'idle'])
  expect(new Set(tasks.map(({ accountId }) => accountId)).size).toBe(2)
  const { rows } = await database.query('select lease_holder from accounts')
  expect(new Set(rows.map(({ lease_holder }) => lease_holder)).size).toBe(2)
  expect(issuer.reused).toEqual([])

  const sealed = async () => (await database.query('select name, login from accounts order by name')).rows
  const before = await sealed()
  const c = await worker('c', randomBytes(32).toString('base64url'))
  await expect
    .poll(
      async () => (await database.query('select 1 from accounts where lease_holder is not null')).rowCount,
    )
    .toBe(0)
  await expect(c.client.accounts.check('acc-1')).rejects.toMatchObject({ code: 'account-key' })
  const failed = await c.client.tasks.start({ prompt: 'three', cwd, account: 'acc-1', on: 'c' })
  const ended = await c.client.tasks.wait(failed.id, { timeoutMs: 60_000 })
  expect(ended).toMatchObject({ status: 'failed' })
  expect(ended.reason).toContain('the stored login cannot be opened')
  const login = { type: 'authJson', authJson: issuer.login('acc-1').authJson } as const
  await expect(c.client.accounts.add({ name: 'acc-1', login, replace: true })).rejects.toMatchObject({
    code: 'account-key',
  })
  // Nor would the others open what it seals.
  const more = { type: 'authJson', authJson: issuer.login('acc-3').authJson } as const
  await expect(c.client.accounts.add({ name: 'acc-3', login: more })).rejects.toMatchObject({
    code: 'account-key',
  })
  expect(await sealed()).toEqual(before)
}, 120_000)
