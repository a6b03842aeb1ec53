import { closeSync, readdirSync, readFileSync, statSync, writeSync } from 'node:fs'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { scratch } from '../fixtures/scratch.ts'
import {
  openStderrLog,
  redactStderrLog,
  removeStrayLogs,
  stderrPath,
  stderrTailOf,
  trimStderrLog,
} from './stderr-log.ts'

const { scratchFolder } = scratch(onTestFinished)
const id = 'ab'.repeat(16)

it('is cut to its newest part while codex goes on writing to it', () => {
  const file = stderrPath(path.join(scratchFolder(), 'logs'), id)
  const ofCodex = openStderrLog(file)
  onTestFinished(() => closeSync(ofCodex))
  for (let line = 0; line < 20_000; line++) writeSync(ofCodex, `line ${line} of what codex says\n`)
  trimStderrLog(file, 10_000_000)
  expect(stderrTailOf(file, 1)).toEqual(['line 19999 of what codex says'])
  expect(statSync(file).size).toBeGreaterThan(500_000)
  trimStderrLog(file, 400_000)
  expect(statSync(file).size).toBeLessThan(150_000)
  writeSync(ofCodex, 'and more\n')
  expect(stderrTailOf(file, 2)).toEqual(['line 19999 of what codex says', 'and more'])
  expect(statSync(file).size).toBeLessThan(150_000)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

it('that is missing says nothing', () => {
  const folder = scratchFolder()
  const file = stderrPath(folder, id)
  expect(stderrTailOf(file)).toEqual([])
  trimStderrLog(path.join(folder, 'none', 'x.log'))
  removeStrayLogs(path.join(folder, 'none'), [])
})

it('that nobody wrote down is removed', () => {
  const folder = scratchFolder()
  for (const name of [id, 'cd'.repeat(16), 'other']) closeSync(openStderrLog(stderrPath(folder, name)))
  removeStrayLogs(folder, [stderrPath(folder, id)])
  expect(readdirSync(folder).sort()).toEqual([`${id}.log`, 'other.log'])
})

it('loses its secrets in place, while codex goes on writing to it', () => {
  const file = stderrPath(path.join(scratchFolder(), 'logs'), id)
  const ofCodex = openStderrLog(file)
  onTestFinished(() => closeSync(ofCodex))
  const say = (text: string) => writeSync(ofCodex, text)
  const token = `ghp_${'a1B2c3D4e5'.repeat(4)}`
  say(`first ünï\nsent ${token} x=1\nDB_PASSWORD=x\nhalf ${token.slice(0, 9)}`)
  let done = redactStderrLog(file, 0)
  say(`${token.slice(9)} of it\n-----BEGIN PRIVATE KEY-----\n${'aB3d'.repeat(16)}\n`)
  done = redactStderrLog(file, done)
  const whileInKey = readFileSync(file, 'utf8')
  expect(whileInKey).not.toContain(token.slice(4, 20))
  expect(whileInKey).toContain('first ünï\nsent ghp_*d4e5'.replace('d4e5', token.slice(-4)))
  say('-----END PRIVATE KEY-----\nlast\n')
  const { size } = statSync(file)
  expect(redactStderrLog(file, done)).toBe(size)
  const text = readFileSync(file, 'utf8')
  expect(statSync(file).size).toBe(size)
  expect(text).not.toContain('aB3daB3d')
  expect(text).toMatch(/-----BEGIN PRIVATE KEY-----\*\*\*-----END PRIVATE KEY-----\nlast *\n$/)
  trimStderrLog(file, 10)
  expect(redactStderrLog(file, size + 1)).toBeGreaterThan(0)
})

it('shows its lines without secrets', () => {
  const file = stderrPath(scratchFolder(), id)
  const descriptor = openStderrLog(file)
  onTestFinished(() => closeSync(descriptor))
  writeSync(descriptor, `failed with PGPASSWORD=hunter2 in its environment\n`)
  expect(stderrTailOf(file)).toEqual(['failed with PGPASSWORD=*** in its environment'])
})
