// Both places where credentials are kept, by the same cases.
import { describe, expect, it, onTestFinished } from 'vitest'
import { freshDatabase } from '../../../test/support/postgres/fresh-database.ts'
import { sharedCredentials } from '../../cli/serve/shared-credentials.ts'
import { type Db, openPostgres } from '../../store/index.ts'
import { scratchDir } from '../fixtures/open-api.ts'
import { type Credentials, OWN_TOKEN } from './credentials.ts'
import { FileCredentials } from './file-credentials.ts'
import { SharedCredentials } from './shared-credentials.ts'
import { readOrMakeToken, rotateToken } from './token.ts'

interface Place {
  readonly credentials: Credentials
  readonly dataDir: string
  readonly token: string
  /** The same place, as after a restart. */
  again(): Credentials
  /** All that was made so far is this much older. */
  age(ms: number): Promise<void>
}

const PLACES = [
  { name: 'files', open: openFiles, cookie: /^[\w-]{22}\.\d+\.[\w-]{43}$/ },
  { name: 'a shared store', open: openShared, cookie: /^[\w-]{22}\.[\w-]{43}$/ },
]

async function openFiles(): Promise<Place> {
  let now = Date.now()
  const dataDir = scratchDir()
  const token = readOrMakeToken(dataDir)
  const again = () => new FileCredentials({ dataDir, now: () => now })
  const age = async (ms: number) => {
    now += ms
  }
  return { credentials: again(), dataDir, token, again, age }
}

async function openShared(): Promise<Place> {
  const { db, close } = await openPostgres({ url: await freshDatabase('migrated'), poolSize: 4 })
  onTestFinished(() => close())
  const dataDir = scratchDir()
  const token = readOrMakeToken(dataDir)
  let now = Date.now()
  const again = () => {
    const store = sharedCredentials(db, 'worker')
    const opened = new SharedCredentials({
      ...store,
      dataDir,
      now: () => now,
      onError: () => expect.unreachable(),
    })
    onTestFinished(() => opened.close())
    return opened
  }
  const age = async (ms: number) => {
    now += ms
    await makeOlder(db, ms)
  }
  return { credentials: again(), dataDir, token, again, age }
}

async function makeOlder(db: Db, ms: number): Promise<void> {
  await db
    .updateTable('door_logins')
    .set(({ eb }) => ({ expires_at: eb('expires_at', '-', ms) }))
    .execute()
  await db
    .updateTable('door_codes')
    .set(({ eb }) => ({ expires_at: eb('expires_at', '-', ms) }))
    .execute()
}

const attempt = { count: () => undefined }
const DAY = 24 * 3_600_000

async function logIn(credentials: Credentials, userAgent: string | null = null): Promise<string> {
  const { code } = await credentials.makeCode(OWN_TOKEN)
  return (await credentials.redeemCode(code, { userAgent, attempt }))!
}

const idOf = (cookie: string) => cookie.slice(0, 22)

describe.each(PLACES)('in $name', ({ open, cookie: format }) => {
  it('the token counts as it is in the file now, and nothing like it', async () => {
    const { credentials, dataDir, token } = await open()
    expect(await credentials.findToken(token, attempt)).toBe(OWN_TOKEN)
    const wrong = [
      '',
      'x',
      `${token}x`,
      token.slice(1),
      `${token.slice(1)}x`,
      token.toUpperCase(),
      '\0',
      "' or 1=1",
    ]
    for (const given of wrong)
      expect([given, await credentials.findToken(given, attempt)]).toEqual([given, null])
    const next = rotateToken(dataDir)
    expect(await credentials.findToken(token, attempt)).toBeNull()
    expect(await credentials.checkToken(token)).toBe('revoked')
    expect(await credentials.findToken(next, attempt)).toBe(OWN_TOKEN)
    expect(await credentials.checkToken(next)).toBe('valid')
  })

  it('a code lets one browser in', async () => {
    const { credentials } = await open()
    const { code, expiresAt } = await credentials.makeCode(OWN_TOKEN)
    expect(Math.abs(expiresAt - Date.now() - 600_000)).toBeLessThan(30_000)
    const cookie = (await credentials.redeemCode(code, { userAgent: 'Firefox', attempt }))!
    expect(cookie).toMatch(format)
    expect(await credentials.redeemCode(code, { userAgent: null, attempt })).toBeNull()
    const login = (await credentials.findLogin(cookie, attempt))!
    expect(login).toMatchObject({ id: idOf(cookie), userAgent: 'Firefox' })
    expect(login.expiresAt - login.createdAt).toBe(30 * DAY)
    expect(await credentials.checkLogin(login.id)).toBe('valid')
  })

  it('a code is given to one of those who ask at once', async () => {
    const { credentials } = await open()
    const { code } = await credentials.makeCode(OWN_TOKEN)
    const asked = [1, 2, 3, 4].map(() => credentials.redeemCode(code, { userAgent: null, attempt }))
    expect((await Promise.all(asked)).filter((cookie) => cookie !== null)).toHaveLength(1)
  })

  it('what is no code is none', async () => {
    const { credentials } = await open()
    const { code } = await credentials.makeCode(OWN_TOKEN)
    for (const wrong of [
      '',
      'x',
      `${code}A`,
      code.slice(1),
      `${code.slice(1)}~`,
      "' or ''='",
      '\0'.repeat(43),
    ])
      expect(await credentials.redeemCode(wrong, { userAgent: null, attempt })).toBeNull()
    expect(await credentials.redeemCode(code, { userAgent: null, attempt })).not.toBeNull()
  })

  it('a code ends after ten minutes, and a login after 30 days', async () => {
    const { credentials, age } = await open()
    const cookie = await logIn(credentials)
    const { code } = await credentials.makeCode(OWN_TOKEN)
    await age(600_000)
    expect(await credentials.redeemCode(code, { userAgent: null, attempt })).toBeNull()
    expect(await credentials.findLogin(cookie, attempt)).not.toBeNull()
    await age(30 * DAY - 600_000)
    expect(await credentials.findLogin(cookie, attempt)).toBeNull()
    expect(await credentials.checkLogin(idOf(cookie))).toBe('revoked')
    expect(await credentials.revokeLogin(idOf(cookie))).toBe(false)
    expect(await credentials.listLogins()).toEqual([])
  })

  it('a cookie cannot be changed in any character', async () => {
    const { credentials } = await open()
    const cookie = await logIn(credentials)
    for (let at = 0; at < cookie.length; at++) {
      for (const other of ['A', 'B', '.', "'", '%', '\0']) {
        if (cookie[at] === other) continue
        const forged = cookie.slice(0, at) + other + cookie.slice(at + 1)
        expect([forged, await credentials.findLogin(forged, attempt)]).toEqual([forged, null])
      }
    }
    const shapes = ['', '.', '..', cookie.slice(0, -1), `${cookie}A`, ` ${cookie}`, '__proto__.1.x']
    const sql = [
      `${idOf(cookie)}' or '1'='1.${'A'.repeat(43)}`,
      `%.${'A'.repeat(43)}`,
      "'; drop table door_logins;--",
    ]
    for (const forged of [...shapes, ...sql])
      expect([forged, await credentials.findLogin(forged, attempt)]).toEqual([forged, null])
    expect(await credentials.findLogin(cookie, attempt)).not.toBeNull()
  })

  it('the secret of one cookie does not fit another', async () => {
    const { credentials } = await open()
    const [one, other] = [await logIn(credentials), await logIn(credentials)]
    const mixed = one.slice(0, 22) + other.slice(22)
    expect(await credentials.findLogin(mixed, attempt)).toBeNull()
  })

  it('a revoked login is refused at once, and the others are listed in order', async () => {
    const { credentials } = await open()
    const cookies = [await logIn(credentials), await logIn(credentials), await logIn(credentials)]
    for (const cookie of cookies) expect(await credentials.findLogin(cookie, attempt)).not.toBeNull()
    expect(await credentials.revokeLogin(idOf(cookies[1]!))).toBe(true)
    expect(await credentials.revokeLogin(idOf(cookies[1]!))).toBe(false)
    expect(await credentials.findLogin(cookies[1]!, attempt)).toBeNull()
    expect(await credentials.checkLogin(idOf(cookies[1]!))).toBe('revoked')
    const ids = (await credentials.listLogins()).map(({ id }) => id)
    expect(ids.toSorted()).toEqual([idOf(cookies[0]!), idOf(cookies[2]!)].toSorted())
  })

  it('a new token ends codes and logins at once', async () => {
    const { credentials, dataDir } = await open()
    const cookie = await logIn(credentials)
    const { code } = await credentials.makeCode(OWN_TOKEN)
    expect(await credentials.findLogin(cookie, attempt)).not.toBeNull()
    rotateToken(dataDir)
    expect(await credentials.findLogin(cookie, attempt)).toBeNull()
    expect(await credentials.checkLogin(idOf(cookie))).toBe('revoked')
    expect(await credentials.redeemCode(code, { userAgent: null, attempt })).toBeNull()
    expect(await credentials.listLogins()).toEqual([])
    expect(await credentials.findLogin(await logIn(credentials), attempt)).not.toBeNull()
  })

  it('logins outlive the service', async () => {
    const { credentials, again } = await open()
    const cookie = await logIn(credentials)
    credentials.close()
    expect(await again().findLogin(cookie, attempt)).toMatchObject({ id: idOf(cookie) })
  })

  it('a long name of a browser is cut', async () => {
    const { credentials } = await open()
    const login = await credentials.findLogin(await logIn(credentials, 'x'.repeat(1000)), attempt)
    expect(login?.userAgent).toHaveLength(300)
  })
})
