import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { keyFile, readAccountKey } from './account-key.ts'
import { openLogin, sealLogin } from './seal-login.ts'

const LOGIN = { auth: '{"tokens":{"refresh_token":"rt-secret"}}', config: null }
const PLACE = { accountId: 'a', version: 3 }

describe('a sealed login', () => {
  const key = randomBytes(32)

  it('is opened with its key, in its row, at its version, and by nothing else', () => {
    const sealed = sealLogin(LOGIN, key, PLACE)
    expect(sealed).not.toContain('rt-secret')
    expect(openLogin(sealed, key, PLACE)).toEqual(LOGIN)
    expect(sealLogin(LOGIN, key, PLACE)).not.toBe(sealed)
    const wrong = expect.objectContaining({ code: 'account-key' })
    expect(() => openLogin(sealed, randomBytes(32), PLACE)).toThrow(wrong)
    expect(() => openLogin(sealed, key, { ...PLACE, version: 2 })).toThrow(wrong)
    expect(() => openLogin(sealed, key, { ...PLACE, accountId: 'b' })).toThrow(wrong)
    for (const broken of ['', 'v1.', 'v2.abc', `${sealed.slice(0, -4)}AAAA`, sealed.slice(0, 30)])
      expect(() => openLogin(broken, key, PLACE)).toThrow(wrong)
  })
})

describe('the key', () => {
  function folder(): string {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'drawbridge-key-'))
    onTestFinished(() => rmSync(dataDir, { recursive: true }))
    return dataDir
  }

  it('is made once, for its owner alone, and never while there are sealed logins', async () => {
    const dataDir = folder()
    const file = { from: 'file' } as const
    await expect(readAccountKey(file, { dataDir, mayMake: false })).rejects.toThrow(/is missing/)
    const key = await readAccountKey(file, { dataDir, mayMake: true })
    expect(key).toHaveLength(32)
    expect(statSync(keyFile(dataDir)).mode & 0o777).toBe(0o600)
    expect(await readAccountKey(file, { dataDir, mayMake: true })).toEqual(key)
  })

  it('is not followed through a link, nor taken when it is short', async () => {
    const dataDir = folder()
    writeFileSync(path.join(dataDir, 'other'), 'x'.repeat(43))
    symlinkSync(path.join(dataDir, 'other'), keyFile(dataDir))
    await expect(readAccountKey({ from: 'file' }, { dataDir, mayMake: true })).rejects.toThrow(
      /symbolic link/,
    )
    const short = { from: 'variable', name: 'KEY', value: 'short' } as const
    await expect(readAccountKey(short, { dataDir, mayMake: true })).rejects.toThrow(/KEY is too short/)
    expect(readFileSync(path.join(dataDir, 'other'), 'utf8')).toBe('x'.repeat(43))
  })

  it('comes from a command too, whose output and arguments are in no error', async () => {
    const dataDir = folder()
    const hex = randomBytes(32).toString('hex')
    const command = (script: string) =>
      readAccountKey({ from: 'command', command: ['sh', '-c', script] }, { dataDir, mayMake: false })
    expect((await command(`echo ${hex}`)).toString('hex')).toBe(hex)
    await expect(command('echo Error: the vault is sealed, and nobody can open it now')).rejects.toThrow(
      /not one word/,
    )
    await expect(command('yes my-secret')).rejects.toThrow(/prints more than a key/)
    const hanging = { from: 'command', command: ['sh', '-c', 'trap "" TERM; sleep 300 & wait'] } as const
    await expect(readAccountKey(hanging, { dataDir, mayMake: true, commandMs: 300 })).rejects.toThrow(
      /the command sh did not end in 0.3 s/,
    )
    const error = await command('echo my-secret; echo my-secret >&2; exit 1').catch((why: Error) => why)
    expect(String(error)).toMatch(/the command sh failed/)
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('my-secret')
  })
})
