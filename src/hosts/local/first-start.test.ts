import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fixture, scratch } from '../fixtures/scratch.ts'
import { awaitFirstStart } from './first-start.ts'

it('lets the next one try when the first fails, and everyone pass when one went well', async () => {
  const home = `home-${performance.now()}`
  const order: string[] = []
  const first = await awaitFirstStart(home, {})
  const others = ['second', 'third', 'fourth'].map(async (name) => {
    const report = await awaitFirstStart(home, {})
    order.push(name)
    return report
  })
  expect(order).toEqual([])
  first(false)
  first(true)
  const second = await others[0]!
  expect(order).toEqual(['second'])
  second(true)
  await Promise.all(others)
  expect(order).toEqual(['second', 'third', 'fourth'])
  await awaitFirstStart(home, {})
})

it('keeps homes apart', async () => {
  await awaitFirstStart(`one-${performance.now()}`, {})
  await awaitFirstStart(`two-${performance.now()}`, {})
})

describe('across processes', () => {
  const { scratchFolder } = scratch(onTestFinished)

  /** Another process that is the first on this home. */
  async function another(home: string, lockDir: string) {
    const child = spawn(process.execPath, [fixture('first-start.mjs'), home, lockDir], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    return child
  }

  it.each(['reports', 'dies'])('the next waits until the first %s', async (end) => {
    const lockDir = scratchFolder()
    const home = `shared-${performance.now()}`
    const first = await another(home, lockDir)
    let isReady = false
    const ours = awaitFirstStart(home, { lockDir }).then((report) => {
      isReady = true
      return report
    })
    const leaving = AbortSignal.timeout(120)
    await expect(awaitFirstStart(`${home}-other`, { lockDir })).resolves.toBeDefined()
    await expect(awaitFirstStart(home, { lockDir, signal: leaving })).rejects.toThrow('timeout')
    expect(isReady).toBe(false)
    if (end === 'reports') first.stdin.write('go on\n')
    else first.kill('SIGKILL')
    const report = await ours
    report(true)
    expect(readdirSync(lockDir).filter((name) => name.includes('lock.'))).toEqual([])
  })

  it('goes on where no lock can be had', async () => {
    const home = `locked-out-${performance.now()}`
    const report = await awaitFirstStart(home, { lockDir: '/dev/null/folder' })
    report(true)
  })
})
