import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { localHost } from '../../hosts/index.ts'
import { type FakeCodex, fake, fakeCodex, type Step } from '../../testing/index.ts'
import { CodexAccount } from './account.ts'
import { Link } from './links.ts'

afterEach(() => void vi.useRealTimers())

const deviceCode = { type: 'chatgptDeviceCode' } as const
const CODE = {
  type: 'chatgptDeviceCode',
  loginId: 'login-1',
  verificationUrl: 'https://auth.example.com/codex/device',
  userCode: 'ABCD-12345',
}
const completed = (error: string | null, loginId: string | null = 'login-1') =>
  fake.notify('account/login/completed', { loginId, success: error === null, error })
const cancels = fake.on('account/login/cancel', fake.reply({ status: 'canceled' }))
const starts = (...more: Parameters<typeof fake.on>[1][]) =>
  fake.on('account/login/start', fake.reply(CODE), ...more)

/** The account of a codex that follows these steps. */
async function accountOf(...steps: Step[]) {
  const program: FakeCodex = await fakeCodex({ steps })
  const host = localHost({ codexPath: program.path, registryDir: null })
  let holds = 0
  const appServer = {
    id: 'fake',
    key: { codexPath: null, codexHome: null, execHost: null },
    host,
    outlivesUs: false,
    isDraining: false,
    isAlive: () => true,
    drain: () => {},
    ended: new Promise<never>(() => {}),
    hold: () => {
      holds++
      return () => void holds--
    },
  }
  const listener = {
    notification() {},
    incident() {},
    answered() {},
    connected() {},
    approval: async () => 'deny' as const,
  }
  const link = new Link(appServer, {
    listener,
    retry: { baseMs: 1, maxMs: 1, random: () => 0 },
    signal: new AbortController().signal,
  })
  onTestFinished(async () => {
    await link.close()
    await program.remove()
  })
  const account = new CodexAccount({ link: async () => link, now: () => 5000 })
  const asked = () => program.received().filter(({ method }) => method?.startsWith('account/'))
  return { account, asked, link, holds: () => holds }
}

/** How it has ended. */
const end = (account: CodexAccount) =>
  vi.waitFor(() => {
    const login = account.login()
    if (login.status === 'pending') throw new Error('still pending')
    return login
  })

describe('a login by device code', () => {
  it('is pending until codex says how it ended, and its app-server is held meanwhile', async () => {
    const { account, holds } = await accountOf(starts(), cancels)
    const pending = { status: 'pending', loginId: 'login-1', userCode: 'ABCD-12345' }
    const times = { startedAt: 5000, expiresAt: 905_000 }
    expect(await account.startLogin(deviceCode)).toMatchObject({ ...pending, ...times })
    expect(account.login()).toMatchObject(pending)
    expect(holds()).toBe(1)
    expect(await account.cancelLogin('login-1')).toEqual({ status: 'none' })
  })

  it('is asked for once, however many ask', async () => {
    const { account, asked } = await accountOf(starts())
    const both = await Promise.all([account.startLogin(deviceCode), account.startLogin(deviceCode)])
    expect(both[0]).toBe(both[1])
    expect(await account.startLogin(deviceCode)).toBe(both[0])
    expect(asked()).toHaveLength(1)
  })

  it('can end in the same breath as it began, well or not', async () => {
    const well = await accountOf(starts(completed('other', 'login-0'), completed(null)))
    await well.account.startLogin(deviceCode)
    expect(await end(well.account)).toEqual({ status: 'succeeded', endedAt: 5000 })
    expect(well.holds()).toBe(0)
    const badly = await accountOf(starts(completed('device auth failed with status 400 Bad Request')))
    await badly.account.startLogin(deviceCode)
    expect(await end(badly.account)).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('400'),
    })
  })

  it('fails when codex dies meanwhile', async () => {
    const { account, holds } = await accountOf(starts(fake.crash()))
    await account.startLogin(deviceCode)
    const failed = await end(account)
    expect(failed).toMatchObject({ status: 'failed', message: expect.stringContaining('codex was lost') })
    expect(holds()).toBe(0)
  })

  it('is taken back once, and what codex says of it then changes nothing', async () => {
    const says = fake.on(
      'account/login/cancel',
      fake.reply({ status: 'canceled' }),
      completed('not completed'),
    )
    const { account, asked, holds } = await accountOf(starts(), says)
    await account.startLogin(deviceCode)
    expect(await account.cancelLogin('another')).toBeNull()
    expect(await account.cancelLogin('login-1')).toEqual({ status: 'none' })
    expect(await account.cancelLogin('login-1')).toBeNull()
    await vi.waitFor(() => expect(holds()).toBe(0))
    expect(account.login()).toEqual({ status: 'none' })
    expect(asked()).toHaveLength(2)
  })

  it('ends by itself should codex never say so', async () => {
    const { account, asked } = await accountOf(starts(), cancels)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    await account.startLogin(deviceCode)
    vi.advanceTimersByTime(16 * 60_000)
    vi.useRealTimers()
    expect(account.login()).toMatchObject({ status: 'failed', message: expect.stringContaining('in time') })
    await vi.waitFor(() => expect(asked()).toMatchObject([{}, { method: 'account/login/cancel' }]))
  })

  it.each([
    ['is too old', fake.error(-32600, 'Invalid request: unknown variant `chatgptDeviceCode`')],
    ['has no such method', fake.error(-32601, 'Method not found')],
    ['is set to another login', fake.error(-32600, 'ChatGPT login is disabled. Use API key login instead.')],
  ])('is not supported where codex %s: the command is named', async (_, refusal) => {
    const { account, holds } = await accountOf(fake.on('account/login/start', refusal))
    await expect(account.startLogin(deviceCode)).rejects.toMatchObject({
      code: 'not-supported',
      details: { command: 'drawbridge login --key' },
    })
    expect([account.login(), holds()]).toEqual([{ status: 'none' }, 0])
  })

  it('that gets no code leaves nothing behind', async () => {
    const offline = fake.once('account/login/start', fake.error(-32603, 'failed to request device code'))
    const { account, holds } = await accountOf(offline, starts())
    await expect(account.startLogin(deviceCode)).rejects.toMatchObject({ code: 'rpc-error' })
    expect([account.login(), holds()]).toEqual([{ status: 'none' }, 0])
    expect(await account.startLogin(deviceCode)).toMatchObject({ status: 'pending' })
  })

  it.each([{ verificationUrl: 'javascript:alert(1)' }, { userCode: null }, { loginId: 7 }])(
    'is not shown when codex gives %j',
    async (odd) => {
      const { account } = await accountOf(fake.on('account/login/start', fake.reply({ ...CODE, ...odd })))
      await expect(account.startLogin(deviceCode)).rejects.toMatchObject({ code: 'unexpected-reply' })
    },
  )
})

describe('a key', () => {
  const key = { type: 'apiKey', apiKey: 'sk-test-0123456789abcdef' } as const

  it('goes to codex, ends a login that was pending, and is not kept', async () => {
    const takes = [completed('not completed'), fake.reply({ type: 'apiKey' }), completed(null, null)]
    const { account, asked } = await accountOf(
      fake.once('account/login/start', fake.reply(CODE)),
      fake.on('account/login/start', ...takes),
    )
    await account.startLogin(deviceCode)
    const done = { status: 'succeeded', endedAt: 5000 }
    expect(await account.startLogin(key)).toEqual(done)
    expect(asked().at(-1)?.params).toEqual(key)
    expect(account.login()).toEqual(done)
  })

  it('is not in what is said when codex refuses it, even if codex repeats it', async () => {
    const { account } = await accountOf(
      fake.once('account/login/start', fake.error(-32603, `cannot store ${key.apiKey}`)),
      fake.once('account/login/start', fake.error(-32600, `not ${key.apiKey}`)),
    )
    for (const code of ['rpc-error', 'not-supported']) {
      const refused = await account.startLogin(key).catch((error: unknown) => error)
      expect(refused).toMatchObject({ code })
      expect(JSON.stringify(refused) + String(refused)).not.toContain(key.apiKey)
    }
  })
})

it('a logout forgets the last login', async () => {
  const { account } = await accountOf(starts(completed(null)), fake.on('account/logout', fake.reply({})))
  await account.startLogin(deviceCode)
  await end(account)
  await account.logout()
  expect(account.login()).toEqual({ status: 'none' })
})
