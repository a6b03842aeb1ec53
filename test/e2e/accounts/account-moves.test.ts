// Accounts after a move: the data folder under another name, and the store in another data folder.
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { connect, readToken } from '../../../src/api/index.ts'
import { lastUserText, message } from '../../../src/testing/index.ts'
import { accountStage } from '../../support/account-stage.ts'

function clientOf(dataDir: string) {
  const { url } = JSON.parse(readFileSync(path.join(dataDir, 'service.json'), 'utf8')) as { url: string }
  return connect({ url, token: readToken(dataDir)!, actor: 'test' })
}

it('captured logins work in a data folder that was moved, with the threads, and from a copy of the store with the key alone', async () => {
  const stage = await accountStage((request) => message(`to ${lastUserText(request)}`))
  const { capture, issuer, run, json, cli, env, dataDir, authFile } = stage
  await capture('acc-a')
  issuer.expire('acc-a')
  const task = await run('one', { account: 'acc-a', keepOpen: true })
  expect(task).toMatchObject({ status: 'idle', result: { text: 'to one' } })
  await json('stop', '--kill')

  // The folder under another name: the thread goes on, in the home where it is now.
  const moved = `${dataDir}-moved`
  renameSync(dataDir, moved)
  env.DRAWBRIDGE_HOME = moved
  issuer.expire('acc-a')
  await json('task', 'send', task.id, 'two')
  const second = await clientOf(moved).tasks.wait(task.id, { timeoutMs: 60_000 })
  expect(second, second.reason).toMatchObject({ status: 'idle', turnCount: 2, result: { text: 'to two' } })
  expect(existsSync(dataDir)).toBe(false)
  await json('stop', '--kill')

  // Only the store and the key, as from a backup that was made after the service was stopped.
  const other = `${dataDir}-other`
  env.DRAWBRIDGE_HOME = other
  await json('task', 'list')
  await json('stop', '--kill')
  for (const end of ['', '-wal', '-shm']) rmSync(path.join(other, `drawbridge.db${end}`), { force: true })
  cpSync(path.join(moved, 'drawbridge.db'), path.join(other, 'drawbridge.db'))
  const without = await cli(['account', 'check', 'acc-a'])
  expect(without.code).not.toBe(0)
  expect(without.stderr).toContain('is missing, and there are logins that were sealed with it')
  writeFileSync(path.join(other, 'account-key'), `${'A'.repeat(43)}\n`, { mode: 0o600 })
  await json('stop')
  writeFileSync(authFile, issuer.login('more').authJson)
  for (const args of [
    ['check', 'acc-a'],
    ['add', 'more', '--capture'],
    ['add', 'acc-a', '--capture', '--replace'],
  ]) {
    const wrong = await cli(['account', ...args])
    expect(wrong.code).not.toBe(0)
    expect(wrong.stderr).toContain('the stored login cannot be opened')
  }
  await json('stop')
  cpSync(path.join(moved, 'account-key'), path.join(other, 'account-key'))
  expect(await json('account', 'check', 'acc-a')).toMatchObject({ verdict: 'alive' })
  const last = await json('task', 'start', '--account', 'acc-a', 'three')
  expect(await clientOf(other).tasks.wait(last.id, { timeoutMs: 60_000 })).toMatchObject({
    status: 'completed',
    result: { text: 'to three' },
  })
  expect(issuer.reused).toEqual([])
  expect(issuer.family('acc-a').refreshes).toBe(3)
  expect(readFileSync(path.join(other, 'account-key'), 'utf8')).toBe(
    readFileSync(path.join(moved, 'account-key'), 'utf8'),
  )
})
