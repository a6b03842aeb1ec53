// Accounts that tasks borrow: the real codex on a scripted issuer whose refresh tokens work once.
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { lastUserText, message } from '../../../src/testing/index.ts'
import { accountStage } from '../../support/account-stage.ts'

const stage = () => accountStage((request) => message(`to ${lastUserText(request)}`))

it('a task runs in a private home under the captured login, and what codex renews is stored', async () => {
  const { capture, json, run, client, issuer, homeOf, authFile, account } = await stage()
  const { id } = await capture('acc-a')
  const captured = readFileSync(authFile, 'utf8')
  // The model refuses the access token: codex renews the login in the middle of the turn.
  issuer.expire('acc-a')
  const task = await run('hello', { account: 'acc-a' })
  expect(task).toMatchObject({ status: 'completed', account: 'acc-a', accountId: id, codexHome: homeOf(id) })
  expect(task.result?.text).toBe('to hello')
  expect(issuer.family('acc-a').refreshes).toBe(1)
  expect(statSync(path.join(homeOf(id), 'auth.json')).mode & 0o777).toBe(0o600)
  expect(statSync(homeOf(id)).mode & 0o777).toBe(0o700)
  expect((await account('acc-a')).usedBy).not.toBeNull()
  // What was captured from is left alone.
  expect(readFileSync(authFile, 'utf8')).toBe(captured)
  // Without a process no login is in the clear, and the next process has the one that was saved.
  await json('stop', '--kill')
  expect(existsSync(path.join(homeOf(id), 'auth.json'))).toBe(false)
  issuer.expire('acc-a')
  await json('task', 'list')
  await json('task', 'send', task.id, 'more')
  expect(await client().tasks.wait(task.id, { timeoutMs: 60_000 })).toMatchObject({
    status: 'completed',
    turnCount: 2,
  })
  expect(issuer.family('acc-a').refreshes).toBe(2)
  expect(issuer.reused).toEqual([])
})

it('a login that codex renewed before the service was killed is not lost', async () => {
  const { capture, json, run, issuer, homeOf, killService, appServerPids, account } = await stage()
  const { id } = await capture('acc-a')
  expect(await run('hello', { account: 'acc-a' })).toMatchObject({ status: 'completed' })
  await killService()
  // As if codex had renewed it while no service was there, and died.
  for (const pid of appServerPids()) process.kill(pid, 'SIGKILL')
  const renewed = issuer.login('acc-a').authJson
  writeFileSync(path.join(homeOf(id), 'auth.json'), renewed)
  await json('account', 'list')
  await expect.poll(async () => (await account('acc-a')).usedBy).toBeNull()
  expect(existsSync(path.join(homeOf(id), 'auth.json'))).toBe(false)
  expect(await run('again', { account: 'acc-a' })).toMatchObject({ status: 'completed' })
  expect(issuer.reused).toEqual([])
})

it('is checked by codex: alive, inconclusive, dead, and alive again after a new login', async () => {
  const { capture, issuer, client, json, cli, account, run } = await stage()
  await capture('acc-a')
  expect(await client().accounts.check('acc-a')).toMatchObject({ verdict: 'alive' })
  expect(await account('acc-a')).toMatchObject({
    state: 'active',
    usedBy: null,
    facts: {
      email: 'acc-a@example.com',
      plan: 'plus',
      windows: [{ name: '5-hour', usedPercent: 10 }, { name: 'weekly' }, { name: 'gpt-small 5-hour' }],
    },
  })
  // The login that codex renewed for the check is the stored one.
  expect(await client().accounts.check('acc-a')).toMatchObject({ verdict: 'alive' })
  for (const status of [429, 503, 403]) {
    issuer.failRefreshes({ status })
    expect(await client().accounts.check('acc-a')).toMatchObject({ verdict: 'inconclusive' })
  }
  issuer.failRefreshes({ status: 401, code: 'something_new' })
  expect(await client().accounts.check('acc-a')).toMatchObject({ verdict: 'inconclusive' })
  expect(await account('acc-a')).toMatchObject({ state: 'active' })
  issuer.failRefreshes('none')
  issuer.revoke('acc-a')
  const checked = await cli(['account', 'check', 'acc-a'])
  expect(checked).toMatchObject({ code: 1, stdout: 'acc-a: dead\n' })
  expect(await account('acc-a')).toMatchObject({
    state: 'dead',
    stateReason: { code: 'refresh-token-refused' },
  })
  const waiting = await client().tasks.start({ prompt: 'x', cwd: process.cwd(), account: 'acc-a' })
  await expect
    .poll(async () => (await client().tasks.get(waiting.id)).reason)
    .toContain('drawbridge account add acc-a --replace')
  await client().tasks.interrupt(waiting.id)
  await capture('acc-a', '--replace')
  expect(await account('acc-a')).toMatchObject({ state: 'active', stateReason: null })
  expect(await run('hello', { account: 'acc-a' })).toMatchObject({ status: 'completed' })
  expect(issuer.reused).toEqual([])
  expect(await json('account', 'list')).toHaveLength(1)
})

it('a stolen lease ends its codex before another turn, and its login is not saved over the other', async () => {
  const { capture, issuer, run, startTask, client, dataDir, account, cli, homeOf } = await stage()
  const { id } = await capture('acc-a')
  const task = await run('hello', { account: 'acc-a', keepOpen: true })
  expect(task.status).toBe('idle')
  // Another worker takes it, as after a long silence.
  const database = new DatabaseSync(path.join(dataDir, 'drawbridge.db'))
  database.exec('pragma busy_timeout = 10000')
  const far = Date.now() + 3_600_000
  database.exec(
    `update accounts set lease_holder = 'thief', lease_generation = lease_generation + 1, lease_until = ${far}`,
  )
  const calls = issuer.calls.length
  await client().tasks.send(task.id, { input: 'more' })
  await expect.poll(async () => (await client().tasks.get(task.id)).reason).toMatch(/another worker/)
  await expect.poll(() => existsSync(path.join(homeOf(id), 'auth.json'))).toBe(false)
  expect(issuer.calls.length).toBe(calls)
  expect(await startTask('x', { account: 'acc-a' })).toMatchObject({ status: 'queued' })
  expect((await cli(['account', 'rm', 'acc-a'])).stderr).toContain('is in use')
  database.exec(`update accounts set lease_holder = null, lease_until = null`)
  database.close()
  await expect.poll(async () => (await client().tasks.get(task.id)).turnCount, { timeout: 60_000 }).toBe(2)
  expect((await account('acc-a')).usedBy?.worker).not.toBe('thief')
})

it('another key opens nothing, overwrites nothing, and says so', async () => {
  const { capture, json, cli, client, run, dataDir, startTask, issuer } = await stage()
  await capture('acc-a')
  await json('stop')
  const key = path.join(dataDir, 'account-key')
  renameSync(key, `${key}.kept`)
  const missing = await cli(['account', 'check', 'acc-a'])
  expect(missing.code).not.toBe(0)
  expect(missing.stderr).toContain('is missing, and there are logins that were sealed with it')
  expect(existsSync(key)).toBe(false)
  writeFileSync(key, `${'A'.repeat(43)}\n`, { mode: 0o600 })
  const wrong = await cli(['account', 'check', 'acc-a'])
  expect(wrong.stderr).toContain('the stored login cannot be opened')
  const task = await startTask('x', { account: 'acc-a' })
  await expect.poll(async () => (await client().tasks.get(task.id)).status).toBe('failed')
  expect((await cli(['account', 'add', 'other', '--capture', '--replace'])).code).not.toBe(0)
  await json('stop')
  rmSync(key)
  renameSync(`${key}.kept`, key)
  await json('task', 'list')
  await json('account', 'list')
  expect(await run('hello', { account: 'acc-a' })).toMatchObject({ status: 'completed' })
  expect(issuer.reused).toEqual([])
})
