// Pools of accounts, limits, and the ways a login comes in and goes: the real codex on a scripted issuer.
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { headers, httpError, lastUserText, type ModelRequest, message } from '../../../src/testing/index.ts'
import { USER_CODE } from '../../support/account-issuer.ts'
import { accountStage } from '../../support/account-stage.ts'

const accountIn = ({ headers }: ModelRequest) => headers['chatgpt-account-id']

it('goes round a pool, passes over what is disabled, and waits with a reason when none is left', async () => {
  const { capture, run, startTask, client, json } = await accountStage((request) =>
    message(`${accountIn(request)}: ${lastUserText(request)}`),
  )
  for (const name of ['acc-a', 'acc-b', 'acc-c']) await capture(name, '--pool', 'team')
  const answers = async (count: number) => {
    const texts: string[] = []
    for (let number = 0; number < count; number++)
      texts.push((await run(`${number}`, { account: 'pool:team' })).result!.text)
    return texts.map((text) => text.split(':')[0])
  }
  expect((await answers(3)).sort()).toEqual(['acc-a', 'acc-b', 'acc-c'])
  await json('account', 'disable', 'acc-b')
  expect((await answers(2)).sort()).toEqual(['acc-a', 'acc-c'])
  await json('account', 'disable', 'acc-a')
  await json('account', 'disable', 'acc-c')
  const { id } = await startTask('wait', { account: 'pool:team' })
  await expect.poll(async () => (await client().tasks.get(id)).reason).toContain('all 3 are disabled or dead')
  await client().tasks.interrupt(id)
  await expect(startTask('x', { account: 'nobody' })).rejects.toMatchObject({ code: 'bad-request' })
  await expect(startTask('x', { account: 'pool:none' })).rejects.toMatchObject({ code: 'bad-request' })
  await expect(startTask('x', { account: 'acc-a', codexHome: '/x' })).rejects.toMatchObject({
    code: 'bad-request',
  })
})

it('a fork, a retry and a new name stay on the account of the thread', async () => {
  const { capture, run, client, json } = await accountStage((request) => message(`${accountIn(request)}`))
  for (const name of ['acc-a', 'acc-b']) await capture(name, '--pool', 'team')
  const task = await run('one', { account: 'pool:team' })
  const other = task.result!.text === 'acc-a' ? 'acc-b' : 'acc-a'
  await json('account', 'rename', task.result!.text, 'renamed')
  const fork = await client().tasks.fork(task.id, { prompt: 'two' })
  const forked = await client().tasks.wait(fork.id, { timeoutMs: 60_000 })
  expect(forked).toMatchObject({ accountId: task.accountId, account: 'pool:team', status: 'completed' })
  expect(forked.result!.text).toBe(task.result!.text)
  await client().tasks.send(task.id, { input: 'three' })
  expect((await client().tasks.wait(task.id, { timeoutMs: 60_000 })).result!.text).toBe(task.result!.text)
  expect(other).not.toBe(task.result!.text)
})

it('at a limit a task parks, or goes on with another account of the pool where it was told to', async () => {
  const resetsAt = Math.floor(Date.now() / 1_000) + 3_600
  const limit = { error: { type: 'usage_limit_reached', message: 'limit', resets_at: resetsAt } }
  let capped = ''
  const { capture, run, client, account, json, cli } = await accountStage((request) => {
    capped ||= accountIn(request) ?? ''
    const isCapped = accountIn(request) === capped && lastUserText(request) !== 'first'
    return isCapped ? httpError(429, limit) : message(`${accountIn(request)}: ${lastUserText(request)}`)
  })
  for (const name of ['acc-a', 'acc-b']) await capture(name, '--pool', 'team')
  const task = await run('first', {
    ...{ account: 'pool:team', onLimit: 'switch', keepOpen: true },
    policy: { sandbox: 'workspace-write', confined: true },
  })
  expect(task).toMatchObject({ status: 'idle', result: { text: `${capped}: first` } })
  const other = capped === 'acc-a' ? 'acc-b' : 'acc-a'
  await client().tasks.send(task.id, { input: 'second' })
  await expect
    .poll(async () => (await client().tasks.get(task.id)).result?.text, { timeout: 60_000 })
    .toBe(`${other}: Continue.`)
  const moved = await client().tasks.get(task.id)
  expect(moved).toMatchObject({ accountId: (await account(other)).id })
  // What it may touch goes along to the other codex.
  expect(task.effectivePolicy?.permissions).toMatch(/-access-[0-9a-f]{12}-rw$/)
  expect(moved.effectivePolicy?.permissions).toBe(task.effectivePolicy?.permissions)
  const { events } = await client().tasks.events(task.id, { limit: 500 })
  const switched = events.findLast(({ event }) => event.method === 'drawbridge/account')
  expect(switched?.event.params).toMatchObject({
    account: other,
    why: expect.stringContaining('has hit its limit'),
  })
  // Codex tells the time to the minute.
  const { limitedUntil } = await account(capped)
  expect(limitedUntil).toBeGreaterThanOrEqual(resetsAt * 1_000)
  expect(limitedUntil).toBeLessThanOrEqual(resetsAt * 1_000 + 60_000)
  expect((await cli(['account', 'list'])).stdout).toContain('limited until')
  // Without that word it is parked, and the pool gives new tasks what is left.
  const parked = await run('x', { account: capped, onLimit: 'park' })
  expect(parked).toMatchObject({ status: 'limited', limitedUntil })
  const next = await run('y', { account: 'pool:team' })
  expect(next.result?.text).toBe(`${other}: y`)
  expect(await json('account', 'list')).toHaveLength(2)
})

it('windows are kept as turns tell of them, a reserve counts at every turn, and a pool says what happens then', async () => {
  const hour = () => String(Math.floor(Date.now() / 1_000) + 3_600)
  // The prompt is how full the account of the turn is then.
  const { capture, run, client, account, json, cli, startTask } = await accountStage((request) => [
    headers({
      'x-codex-primary-used-percent': /\d+/.exec(lastUserText(request))?.[0] ?? '1',
      'x-codex-primary-window-minutes': '300',
      'x-codex-primary-reset-at': hour(),
    }),
    message(`${accountIn(request) ?? 'by key'}`),
  ])
  for (const name of ['acc-a', 'acc-b']) await capture(name, '--pool', 'team')
  const key = 'sk-test-0123456789abcdef0123456789abcdef'
  const added = await cli(['account', 'add', 'ci', '--key', '--with-config', '--pool', 'team'], {
    stdin: key,
  })
  expect(added).toMatchObject({ code: 0 })
  const before = Date.now()
  const task = await run('42 %', { account: 'pool:team', keepOpen: true })
  const first = task.result!.text
  const other = first === 'acc-a' ? 'acc-b' : 'acc-a'
  await expect
    .poll(async () => (await account(first)).facts?.windows)
    .toMatchObject([{ name: '5-hour', usedPercent: 42, windowMins: 300 }])
  expect((await account(first)).facts).toMatchObject({ email: null, at: null })
  expect((await account(first)).facts!.windows[0]!.at).toBeGreaterThanOrEqual(before)
  expect((await cli(['account', 'list'])).stdout).toMatch(new RegExp(`${first} .*5-hour 42 %.*never`))

  // With a reserve the thread waits, until it is told otherwise or its pool lets it go on with another.
  await json('account', 'set', first, '--reserve', '50')
  const send = (input: string) => client().tasks.send(task.id, { input })
  const textOf = async () => (await client().tasks.get(task.id)).result?.text
  await send('60 %')
  await expect.poll(async () => (await account(first)).facts?.windows[0]?.usedPercent).toBe(60)
  await send('1 %')
  await expect
    .poll(async () => (await client().tasks.get(task.id)).reason)
    .toContain(`only the reserve of 50 % is left of ${first}`)
  await json('account', 'pool', 'team', '--on-limit', 'switch')
  await expect.poll(textOf, { timeout: 60_000 }).toBe(other)
  const { events } = await client().tasks.events(task.id, { limit: 500 })
  const { event } = events.findLast((each) => each.event.method === 'drawbridge/account')!
  expect(event.params).toMatchObject({ account: other, why: expect.stringContaining('only the reserve') })

  // An API key is paid for otherwise: it is left out, and said so, until somebody allows it.
  const [pool] = await json<object[]>('account', 'pool')
  expect(pool).toMatchObject({ name: 'team', leftOut: ['ci'], onLimit: 'switch', billing: 'same' })
  await json('account', 'disable', other)
  const waiting = await startTask('2 %', { account: 'pool:team' })
  const reason = async () => (await client().tasks.get(waiting.id)).reason
  await expect.poll(reason).toContain('drawbridge account pool team --billing any')
  const allowed = await cli(['account', 'pool', 'team', '--billing', 'any'])
  expect(allowed.stderr).toContain('billed by API key')
  const ended = await client().tasks.wait(waiting.id, { timeoutMs: 60_000 })
  expect(ended).toMatchObject({ status: 'completed', result: { text: 'by key' } })
  // Codex was told the key, and keeps no file of it.
  const { codexHome } = ended
  expect(existsSync(path.join(codexHome!, 'sessions'))).toBe(true)
  expect(existsSync(path.join(codexHome!, 'auth.json'))).toBe(false)
  expect((await cli(['account', 'pool'])).stdout).toMatch(/team .*acc-a.*ci.*switch.*plans, then API keys/)
  const gone = await cli(['account', 'pool', 'team', '--remove', 'ci', '--add', 'nobody'])
  expect(gone).toMatchObject({ code: 1 })
  expect((await json<{ accounts: string[] }[]>('account', 'pool', 'team'))[0]?.accounts).toContain('ci')
})

it('a login comes by code, key or access token, and goes by rm or, everywhere, by revoke', async () => {
  const { capture, issuer, cli, json, dataDir, inTerminal, homeOf } = await accountStage(() => message('x'))
  const adding = inTerminal(['account', 'add', 'coded', '--with-config'])
  await adding.shows(`type in this code: ${USER_CODE}`)
  issuer.authorize()
  await adding.shows('The account coded is kept')
  expect(await adding.ended()).toMatchObject({ code: 0 })
  const key = 'sk-test-0123456789abcdef0123456789abcdef'
  expect(await cli(['account', 'add', 'ci', '--key', '--json'], { stdin: `${key}\n` })).toMatchObject({
    code: 0,
  })
  const again = await cli(['account', 'add', 'ci2', '--key'], { stdin: `${key}\n` })
  expect(again).toMatchObject({ code: 1, stdout: '' })
  expect(again.stderr).toContain('kept already, as ci')
  const inArgument = await cli(['account', 'add', 'ci3', '--key', key])
  expect(inArgument.stderr).not.toContain(key)
  const token = await cli(['account', 'add', 'robot', '--access-token'], { stdin: 'at-0123456789abcdef' })
  expect(token).toMatchObject({ code: 0 })
  expect(token.stderr).toContain('The account robot is kept')
  // Nothing is left of the homes that codex logged in in.
  expect(readdirSync(path.join(dataDir, 'accounts'))).toEqual([])
  expect(await json('account', 'check', 'ci')).toMatchObject({ verdict: 'inconclusive' })
  expect(await json('account', 'list')).toMatchObject([
    { name: 'ci', kind: 'apikey' },
    { name: 'coded', kind: 'chatgpt' },
    { name: 'robot', kind: 'access-token' },
  ])
  const copy = await capture('acc-a')
  const removed = await cli(['account', 'rm', 'acc-a'])
  expect(removed.stderr).toContain('still valid wherever else it is')
  expect(issuer.revoked).toEqual([])
  expect(existsSync(path.join(homeOf(copy.id), 'auth.json'))).toBe(false)
  expect((await cli(['account', 'revoke', 'coded'])).code).toBe(2)
  expect((await cli(['account', 'revoke', 'coded', '--confirm', 'ci'])).code).toBe(3)
  expect(issuer.revoked).toEqual([])
  // Codex itself says nothing of a logout that OpenAI did not hear of.
  issuer.takeRevokes(false)
  const unheard = await cli(['account', 'revoke', 'coded', '--confirm', 'coded'])
  expect(unheard.stderr).toContain('so it is still good. Nothing was deleted')
  expect(unheard.code).toBe(1)
  issuer.takeRevokes(true)
  expect(await json('account', 'check', 'coded')).toMatchObject({ verdict: 'alive' })
  expect(await cli(['account', 'revoke', 'coded', '--confirm', 'coded'])).toMatchObject({ code: 0 })
  expect(issuer.revoked).toHaveLength(1)
  expect(issuer.family('by-code').isRevoked).toBe(true)
  expect((await cli(['account', 'check', 'coded'])).stderr).toContain('there is no account coded')
})
