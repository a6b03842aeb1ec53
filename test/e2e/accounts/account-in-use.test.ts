// What people do to an account while a turn runs on it, and two of them at once.
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { codexConfig, lastUserText, message } from '../../../src/testing/index.ts'
import { accountStage } from '../../support/account-stage.ts'
import { makeGate } from '../../support/fleet-facts.ts'

it('a turn goes on whatever is done to its account; what would take its login away is refused, and done when it is idle', async () => {
  const gate = makeGate()
  const stage = await accountStage(async (request) => {
    if (lastUserText(request) === 'one') await gate.opened
    return message(`to ${lastUserText(request)}`)
  })
  const { capture, startTask, client, json, cli, issuer, authFile, homeOf, account } = stage
  const { id } = await capture('acc-a')
  const task = await startTask('one', { account: 'acc-a', keepOpen: true })
  await expect.poll(async () => (await client().tasks.get(task.id)).turnId).not.toBeNull()
  writeFileSync(authFile, issuer.login('acc-b').authJson)
  for (const args of [
    ['rm', 'acc-a'],
    ['revoke', 'acc-a', '--confirm', 'acc-a'],
    ['add', 'acc-a', '--capture', '--replace'],
  ]) {
    const refused = await cli(['account', ...args])
    expect(refused.stderr, args.join(' ')).toContain('the account acc-a is in use')
    expect(refused.code).toBe(1)
  }
  expect(issuer.revoked).toEqual([])
  await json('account', 'rename', 'acc-a', 'office')
  await json('account', 'disable', 'office')
  expect(await json('account', 'check', 'office')).toMatchObject({ verdict: 'alive' })
  gate.open()
  const waited = () => client().tasks.wait(task.id, { timeoutMs: 60_000 })
  expect(await waited()).toMatchObject({ status: 'idle', result: { text: 'to one' } })
  await client().tasks.send(task.id, { input: 'two' })
  await expect
    .poll(async () => (await client().tasks.get(task.id)).reason)
    .toContain('`drawbridge account enable office` lets tasks use it')
  await json('account', 'enable', 'office')
  await expect.poll(async () => (await client().tasks.get(task.id)).turnCount, { timeout: 60_000 }).toBe(2)
  expect(await waited()).toMatchObject({ result: { text: 'to two' } })

  // Nothing needs its codex now: a new login takes the place of the old one at once, and then nothing is left.
  expect((await account('office')).usedBy).not.toBeNull()
  issuer.revoke('acc-a')
  expect(await json('account', 'add', 'office', '--capture', '--replace', '--with-config')).toMatchObject({
    id,
  })
  await client().tasks.send(task.id, { input: 'three' })
  await expect.poll(async () => (await client().tasks.get(task.id)).turnCount, { timeout: 60_000 }).toBe(3)
  expect(await waited()).toMatchObject({ status: 'idle', result: { text: 'to three' } })
  await json('account', 'rm', 'office')
  expect(existsSync(path.join(homeOf(id), 'auth.json'))).toBe(false)
  await client().tasks.send(task.id, { input: 'four' })
  expect(await waited()).toMatchObject({
    status: 'failed',
    reason: expect.stringContaining('there is no account acc-a'),
  })
  expect(issuer.reused).toEqual([])

  // Of two at once one is kept, whether they share the name or the login.
  const config = codexConfig(stage.model, issuer.home)
  const add = (name: string, authJson: string) =>
    client().accounts.add({ name, config, login: { type: 'authJson', authJson } })
  const settled = async (adding: Promise<unknown>[]) =>
    (await Promise.allSettled(adding)).map(({ status }) => status).toSorted()
  const [first, second] = [issuer.login('acc-c').authJson, issuer.login('acc-d').authJson]
  expect(await settled([add('twin', first), add('twin', second)])).toEqual(['fulfilled', 'rejected'])
  const third = issuer.login('acc-e').authJson
  expect(await settled([add('left', third), add('right', third)])).toEqual(['fulfilled', 'rejected'])
  const renames = ['twin', (await client().accounts.list())[0]!.name].map((name) =>
    client().accounts.change(name, { name: 'same' }),
  )
  expect(await settled(renames)).toEqual(['fulfilled', 'rejected'])
  expect(await client().accounts.list()).toHaveLength(2)
})
