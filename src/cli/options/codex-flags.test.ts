import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { UsageError } from '../process/usage-error.ts'
import { namedCodex, namedCodexHome } from './codex-flags.ts'

it('a path of codex is as seen from here, a bare name is left to PATH', () => {
  expect(namedCodex('./codex')).toBe(path.resolve('codex'))
  expect(namedCodex('codex-nightly')).toBe('codex-nightly')
})

it('a codex home that is not there is refused, and not made', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'codex-home-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  expect(namedCodexHome(folder)).toBe(folder)
  for (const missing of [path.join(folder, 'a', 'home'), path.join(process.execPath, 'home')])
    expect(() => namedCodexHome(missing)).toThrow(UsageError)
  expect(() => namedCodexHome(path.join(folder, 'a'))).toThrow(
    /there is no folder .*\/a; `drawbridge login --codex-home .*\/a` makes it/,
  )
  expect(existsSync(path.join(folder, 'a'))).toBe(false)
})
