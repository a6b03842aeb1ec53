import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { scratch } from './fixtures/scratch.ts'
import { removeDeadLocks, tryLock } from './owner-lock.ts'
import { identify } from './processes.ts'

const { scratchFolder } = scratch(onTestFinished)

async function deadOwner(): Promise<string> {
  const child = spawn('sleep', ['300'])
  const owner = JSON.stringify(identify(child.pid!))
  child.kill('SIGKILL')
  await once(child, 'exit')
  return owner
}

it('is had by one at a time', () => {
  const file = path.join(scratchFolder(), 'a.lock')
  const unlock = tryLock(file)!
  expect(tryLock(file)).toBeNull()
  unlock()
  unlock()
  const again = tryLock(file)!
  unlock()
  expect(tryLock(file)).toBeNull()
  again()
  expect(readdirSync(path.dirname(file))).toEqual([])
})

it('of a dead owner, or that nobody can read, is taken', async () => {
  const file = path.join(scratchFolder(), 'a.lock')
  for (const text of [await deadOwner(), 'garbage', '']) {
    writeFileSync(file, text)
    tryLock(file)!()
  }
  expect(readdirSync(path.dirname(file))).toEqual([])
})

it('of a dead owner is removed, of a living one kept, and of others nothing is touched', async () => {
  const folder = scratchFolder()
  const living = JSON.stringify(identify(process.pid))
  writeFileSync(path.join(folder, 'dead.lock'), await deadOwner())
  writeFileSync(path.join(folder, 'living.lock'), living)
  writeFileSync(path.join(folder, 'notes.txt'), 'mine')
  removeDeadLocks(folder)
  removeDeadLocks(path.join(folder, 'none'))
  expect(readdirSync(folder).sort()).toEqual(['living.lock', 'notes.txt'])
  expect(readFileSync(path.join(folder, 'living.lock'), 'utf8')).toBe(living)
})
