import { chmodSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { scratchDir } from '../fixtures/open-api.ts'
import { CurrentToken, readOrMakeToken, readToken, rotateToken, tokenFile } from './token.ts'

describe('the token', () => {
  it('is made once, of 32 random bytes, in a file only its owner can read', () => {
    const dataDir = path.join(scratchDir(), 'new')
    const token = readOrMakeToken(dataDir)
    expect(Buffer.from(token, 'base64url')).toHaveLength(32)
    expect(readOrMakeToken(dataDir)).toBe(token)
    expect(readToken(dataDir)).toBe(token)
    expect(statSync(tokenFile(dataDir)).mode & 0o777).toBe(0o600)
    expect(statSync(dataDir).mode & 0o777).toBe(0o700)
    expect(readdirSync(dataDir)).toEqual(['token'])
  })

  it('is closed to others again when somebody opened its file', () => {
    const dataDir = scratchDir()
    readOrMakeToken(dataDir)
    chmodSync(tokenFile(dataDir), 0o644)
    readOrMakeToken(dataDir)
    expect(statSync(tokenFile(dataDir)).mode & 0o777).toBe(0o600)
  })

  it('is refused when its file is a link, and what it leads to stays as it is', () => {
    const [dataDir, elsewhere] = [scratchDir(), path.join(scratchDir(), 'theirs')]
    writeFileSync(elsewhere, `${'t'.repeat(43)}\n`, { mode: 0o644 })
    symlinkSync(elsewhere, tokenFile(dataDir))
    expect(() => readOrMakeToken(dataDir)).toThrow(`${tokenFile(dataDir)} is a symbolic link`)
    expect(() => readToken(dataDir)).toThrow('is a symbolic link')
    expect(new CurrentToken(dataDir).matches('t'.repeat(43))).toBe(false)
    expect(statSync(elsewhere).mode & 0o777).toBe(0o644)
    expect(readdirSync(dataDir)).toEqual(['token'])
  })

  it('is made anew when what is in the file is none', () => {
    const dataDir = scratchDir()
    writeFileSync(tokenFile(dataDir), '\n')
    expect(readToken(dataDir)).toBeNull()
    expect(readOrMakeToken(dataDir)).toHaveLength(43)
  })

  it('counts as it is in the file now', () => {
    const dataDir = scratchDir()
    const first = readOrMakeToken(dataDir)
    const current = new CurrentToken(dataDir)
    expect(current.matches(first)).toBe(true)
    const second = rotateToken(dataDir)
    expect([current.matches(first), current.matches(second)]).toEqual([false, true])
    expect(readFileSync(tokenFile(dataDir), 'utf8')).toBe(`${second}\n`)
  })

  it('lets nobody in when its file is gone', () => {
    const dataDir = scratchDir()
    const token = readOrMakeToken(dataDir)
    const current = new CurrentToken(dataDir)
    rmSync(tokenFile(dataDir))
    expect([current.matches(token), current.matches(''), current.keyFor('x')]).toEqual([false, false, null])
  })
})
