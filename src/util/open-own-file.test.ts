import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { LinkedFileError, readOwnFile } from './open-own-file.ts'

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'own-file-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

it('reads a file and closes it to others', () => {
  const file = path.join(folder(), 'secret')
  writeFileSync(file, 'text', { mode: 0o644 })
  expect(readOwnFile(file)).toBe('text')
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

it('refuses a link, and leaves what it leads to as it is', () => {
  const target = path.join(folder(), 'of-somebody')
  const link = path.join(folder(), 'secret')
  writeFileSync(target, 'theirs', { mode: 0o644 })
  symlinkSync(target, link)
  expect(() => readOwnFile(link)).toThrow(LinkedFileError)
  expect(() => readOwnFile(link)).toThrow(`${link} is a symbolic link`)
  expect([statSync(target).mode & 0o777, readFileSync(target, 'utf8')]).toEqual([0o644, 'theirs'])
})
