import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { UsageError } from '../process/usage-error.ts'
import { makeDataFolder } from './data-folder.ts'

function scratch(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'data-folder-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

it('makes a folder and those above it, for this user alone, once', () => {
  const folder = path.join(scratch(), 'a', 'b')
  makeDataFolder(folder)
  makeDataFolder(folder)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(statSync(path.dirname(folder)).mode & 0o777).toBe(0o700)
})

it('says what to do when the place is a file, or below one', () => {
  const file = path.join(scratch(), 'file')
  writeFileSync(file, '')
  expect(() => makeDataFolder(file)).toThrow(/is a file: choose another with --data-dir/)
  expect(() => makeDataFolder(path.join(file, 'below'))).toThrow(/cannot be made \(ENOTDIR\): choose another/)
})

it.runIf(process.platform === 'linux')(
  'ends where no folder can be made and the system does not say why',
  () => {
    expect(() => makeDataFolder('/proc/drawbridge/data')).toThrow(UsageError)
  },
)
