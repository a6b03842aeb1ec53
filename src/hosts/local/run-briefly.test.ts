import { ChildProcess } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { scratch } from '../fixtures/scratch.ts'
import { runBriefly } from './run-briefly.ts'

const LIMITS = { env: { PATH: process.env.PATH ?? '' }, timeoutMs: 30_000 }

/** Calls this as soon as a child is known to have ended. */
function onceEnded(work: () => void): void {
  const { emit } = ChildProcess.prototype
  Object.defineProperty(ChildProcess.prototype, 'emit', {
    configurable: true,
    value(this: ChildProcess, ...values: Parameters<typeof emit>) {
      const isHeard = emit.apply(this, values)
      if ((values as unknown[])[0] === 'exit') work()
      return isHeard
    },
  })
  onTestFinished(() => void Reflect.deleteProperty(ChildProcess.prototype, 'emit'))
}

it('reads what is left in the pipes, though our own event loop was blocked since the end', async () => {
  const folder = scratch(onTestFinished).scratchFolder()
  const [go, written] = [path.join(folder, 'go'), path.join(folder, 'written')]
  const late = `(while [ ! -e '${go}' ]; do sleep 0.01; done; echo late; : > '${written}') & exit 0`
  onceEnded(() => {
    writeFileSync(go, '')
    const startedAt = performance.now()
    const pause = new Int32Array(new SharedArrayBuffer(4))
    while (!existsSync(written) || performance.now() - startedAt < 400) Atomics.wait(pause, 0, 0, 10)
  })
  expect(await runBriefly('/bin/sh', ['-c', late], LIMITS)).toMatchObject({ exitCode: 0, stdout: 'late\n' })
})

it('does not wait for a grandchild that holds the pipes open', async () => {
  const held = 'sleep 60 & echo $!; exit 0'
  const { stdout, exitCode } = await runBriefly('/bin/sh', ['-c', held], LIMITS)
  expect(exitCode).toBe(0)
  process.kill(Number(stdout), 'SIGKILL')
})
