// The login of codex over the API: the real codex, and OpenAI's side of it on loopback.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type AccountLogin, connect, readToken, serveApi } from '../../../src/api/index.ts'
import { makeCodexHome, message } from '../../../src/testing/index.ts'
import { EMAIL, startLoginIssuer, TOKENS, USER_CODE } from '../../support/login-issuer.ts'
import { openTasks } from '../../support/open-tasks.ts'

const deviceCode = { type: 'chatgptDeviceCode' } as const

async function openAccount() {
  const issuer = await startLoginIssuer()
  onTestFinished(() => issuer.close())
  const codexHome = await makeCodexHome({ url: 'http://127.0.0.1:1' }, issuer.home)
  onTestFinished(() => codexHome.remove())
  const env = { ...process.env, CODEX_HOME: codexHome.path, ...issuer.env }
  const { tasks, dataDir } = await openTasks(() => message('x'), { pool: { host: { env } } })
  const door = await serveApi({ service: tasks, dataDir, port: 0 })
  onTestFinished(() => door.close())
  const { account } = connect({ url: door.url, token: readToken(dataDir)! })
  const ended = () =>
    vi.waitFor(async () => notPending(await account.login()), { timeout: 20_000, interval: 100 })
  return { issuer, account, tasks, dataDir, codexHome: codexHome.path, ended }
}

function notPending(login: AccountLogin): AccountLogin {
  if (login.status === 'pending') throw new Error('still pending')
  return login
}

/** Of all files below, as one text. */
function everythingIn(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')
}

describe('a login by device code', () => {
  it('shows the code, waits, and knows the account once somebody has typed it in', async () => {
    const { account, issuer, dataDir, ended } = await openAccount()
    expect(await account.read()).toMatchObject({ account: null, requiresOpenaiAuth: true })
    expect(await account.login()).toEqual({ status: 'none' })
    const pending = await account.startLogin(deviceCode)
    expect(pending).toMatchObject({
      status: 'pending',
      userCode: USER_CODE,
      verificationUrl: `${issuer.url}/codex/device`,
    })
    expect(await account.startLogin(deviceCode)).toEqual(pending)
    expect(await account.login()).toEqual(pending)
    issuer.authorize()
    expect(await ended()).toMatchObject({ status: 'succeeded' })
    expect(await account.read()).toMatchObject({
      account: { type: 'chatgpt', email: EMAIL, planType: 'plus' },
    })
    expect(issuer.asked.filter((place) => place.endsWith('/usercode'))).toHaveLength(1)
    for (const token of Object.values(TOKENS)) expect(everythingIn(dataDir)).not.toContain(token)
    await account.logout()
    expect(await account.read()).toMatchObject({ account: null })
    expect(await account.login()).toEqual({ status: 'none' })
    expect(issuer.asked).toContain('/oauth/revoke')
  })

  it('is taken back, and begun again', async () => {
    const { account, issuer } = await openAccount()
    const first = await account.startLogin(deviceCode)
    const { loginId } = first as { loginId: string }
    expect(await account.cancelLogin(loginId)).toEqual({ status: 'none' })
    await expect(account.cancelLogin(loginId)).rejects.toMatchObject({ code: 'not-found', status: 404 })
    expect(await account.startLogin(deviceCode)).toMatchObject({ status: 'pending' })
    expect(issuer.asked.filter((place) => place.endsWith('/usercode'))).toHaveLength(2)
  })

  it('says why nobody is logged in', async () => {
    const { account, issuer, ended } = await openAccount()
    issuer.deny()
    await account.startLogin(deviceCode)
    expect(await ended()).toMatchObject({ status: 'failed', message: expect.stringContaining('400') })
    expect(await account.read()).toMatchObject({ account: null })
  })

  it('fails when the app-server dies meanwhile, and can be begun again', async () => {
    const { account, tasks, issuer, ended } = await openAccount()
    await account.startLogin(deviceCode)
    const [appServer] = tasks.appServers()
    expect(appServer).toMatchObject({ holds: 1 })
    process.kill(appServer!.pid!, 'SIGKILL')
    expect(await ended()).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('codex was lost meanwhile'),
    })
    expect(await account.startLogin(deviceCode)).toMatchObject({ status: 'pending' })
    issuer.authorize()
    expect(await ended()).toMatchObject({ status: 'succeeded' })
  })

  it('is refused in codex’s words when OpenAI cannot be reached', async () => {
    const { account, issuer } = await openAccount()
    await issuer.close()
    await expect(account.startLogin(deviceCode)).rejects.toMatchObject({
      code: 'rpc-error',
      status: 502,
      message: expect.stringContaining('failed to request device code'),
    })
    expect(await account.login()).toEqual({ status: 'none' })
  })
})

it('a key is in codex’s own folder afterwards, and nowhere in ours', async () => {
  const { account, dataDir, codexHome } = await openAccount()
  const apiKey = 'sk-test-0123456789abcdef0123456789abcdef'
  const done = await account.startLogin({ type: 'apiKey', apiKey })
  expect(done).toEqual({ status: 'succeeded', endedAt: expect.any(Number) })
  expect(await account.read()).toMatchObject({ account: { type: 'apiKey' } })
  expect(readFileSync(path.join(codexHome, 'auth.json'), 'utf8')).toContain(apiKey)
  expect(everythingIn(dataDir)).not.toContain(apiKey)
})
