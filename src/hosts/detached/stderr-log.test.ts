import { closeSync, readdirSync, statSync, writeSync } from 'node:fs'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { scratch } from '../fixtures/scratch.ts'
import { openStderrLog, removeStrayLogs, stderrPath, stderrTailOf, trimStderrLog } from './stderr-log.ts'

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
