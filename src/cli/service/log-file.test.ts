import { appendFileSync, closeSync, mkdtempSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { cutLog, logFile, logTail, openLog } from './log-file.ts'

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'log-'))
  onTestFinished(() => rmSync(made, { recursive: true }))
  return made
}

it('is private, and tells its last lines, or those since', () => {
  const dataDir = folder()
  const log = openLog(dataDir)
  writeSync(log, 'one\ntwo\n')
  expect(statSync(logFile(dataDir)).mode & 0o777).toBe(0o600)
  const since = statSync(logFile(dataDir)).size
  writeSync(log, 'three\nfour\n')
  closeSync(log)
  expect(logTail(dataDir, { lines: 3 })).toEqual(['two', 'three', 'four'])
  expect(logTail(dataDir, { since })).toEqual(['three', 'four'])
  expect(logTail(folder())).toEqual([])
})

it('is cut when it is too long, with what there was before beside it, while somebody appends to it', () => {
  const dataDir = folder()
  const file = logFile(dataDir)
  const log = openLog(dataDir)
  writeSync(log, 'a'.repeat(100))
  cutLog(file, 200)
  expect(statSync(file).size).toBe(100)
  appendFileSync(file, 'b'.repeat(150))
  cutLog(file, 200)
  writeSync(log, 'after\n')
  closeSync(log)
  expect(readFileSync(file, 'utf8')).toBe('after\n')
  expect(statSync(`${file}.1`).size).toBe(250)
})
