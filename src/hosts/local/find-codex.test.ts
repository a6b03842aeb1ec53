import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { realCodex, scratch } from '../fixtures/scratch.ts'
import { type CodexSearch, findCodex } from './find-codex.ts'

const { executable, scratchFolder } = scratch(onTestFinished)

const here = { platform: process.platform, arch: process.arch }
const script = '#!/bin/sh\n'

function find(search: Omit<CodexSearch, 'platform' | 'arch'>) {
  return findCodex({ ...here, ...search })
}

function codeOf(search: Omit<CodexSearch, 'platform' | 'arch'>): unknown {
  try {
    return find(search)
  } catch (error) {
    return (error as { code: string }).code
  }
}

/** An npm installation of codex: its launcher linked into `bin`, and a binary of the given layout. */
function npmInstallation(folder: string, binary: string | null): string {
  const launcher = executable(script, path.join(folder, 'lib/node_modules/@openai/codex/bin/codex.js'))
  writeFileSync(path.join(launcher, '../../package.json'), '{"name":"@openai/codex"}')
  if (binary) executable(script, path.join(folder, 'lib/node_modules/@openai', binary))
  mkdirSync(path.join(folder, 'bin'))
  symlinkSync(launcher, path.join(folder, 'bin/codex'))
  return path.join(folder, 'bin')
}

describe('finding codex', () => {
  it('prefers the option, then DRAWBRIDGE_CODEX, then PATH, then the bundled one', () => {
    const [option, variable, onPath] = [executable(script), executable(script), executable(script)]
    const env = { DRAWBRIDGE_CODEX: variable, PATH: `relative:${path.dirname(onPath)}` }
    expect(find({ codexPath: option, env })).toEqual({ path: option, source: 'option' })
    expect(find({ env })).toEqual({ path: variable, source: 'env' })
    expect(find({ env: { PATH: env.PATH } })).toEqual({ path: onPath, source: 'path' })
    expect(find({ env: {} })).toEqual({ path: realCodex, source: 'bundled' })
  })

  it('does not fall through when the one that was named is missing or cannot be run', () => {
    const PATH = path.dirname(executable(script))
    const plain = executable(script)
    chmodSync(plain, 0o644)
    expect(codeOf({ codexPath: '/nowhere/codex', env: { PATH } })).toBe('codex-not-found')
    expect(codeOf({ env: { PATH, DRAWBRIDGE_CODEX: '/nowhere/codex' } })).toBe('codex-not-found')
    expect(codeOf({ codexPath: 'no-such-name', env: { PATH } })).toBe('codex-not-found')
    expect(codeOf({ codexPath: plain, env: { PATH } })).toBe('codex-not-executable')
    expect(codeOf({ codexPath: path.dirname(plain), env: { PATH } })).toBe('codex-not-executable')
  })

  it('looks up a bare name on PATH', () => {
    const codex = executable(script, path.join(scratchFolder(), 'codex-beta'))
    expect(find({ codexPath: 'codex-beta', env: { PATH: path.dirname(codex) } }).path).toBe(codex)
  })

  it('skips what cannot be run on PATH', () => {
    const plain = executable(script)
    chmodSync(plain, 0o644)
    const codex = executable(script)
    const PATH = [plain, codex].map((file) => path.dirname(file)).join(':')
    expect(find({ env: { PATH } }).path).toBe(codex)
  })
})

describe.skipIf(process.platform === 'win32')('the launcher of the npm package', () => {
  const linux = { platform: 'linux', arch: 'x64' } as const
  const triple = 'x86_64-unknown-linux-musl'

  it.each([
    `codex-linux-x64/vendor/${triple}/bin/codex`,
    `codex-linux-x64/vendor/${triple}/codex/codex`,
    `codex/vendor/${triple}/codex/codex`,
  ])('is passed over for the binary in %s', (binary) => {
    const folder = scratchFolder()
    const PATH = npmInstallation(folder, binary)
    if (!binary.startsWith('codex/')) {
      writeFileSync(path.join(folder, 'lib/node_modules/@openai/codex-linux-x64/package.json'), '{}')
    }
    const expected = path.join(folder, 'lib/node_modules/@openai', binary)
    expect(findCodex({ ...linux, env: { PATH } })).toEqual({ path: expected, source: 'path' })
    expect(findCodex({ ...linux, codexPath: path.join(PATH, 'codex'), env: {} }).path).toBe(expected)
  })

  it('is used as it is when there is no binary behind it', () => {
    const PATH = npmInstallation(scratchFolder(), null)
    expect(findCodex({ platform: 'linux', arch: 'mips', env: { PATH } }).path).toBe(path.join(PATH, 'codex'))
  })
})
