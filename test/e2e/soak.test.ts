import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it, onTestFinished } from 'vitest'
import type { Thread, Turn } from '../../src/codex/index.ts'
import { message } from '../../src/testing/index.ts'
import { openClient } from '../support/open-client.ts'

it('survives sixty turns of everything at once, and leaves nothing behind', async () => {
  const args = ['test/soak/soak.ts', '--turns', '60', '--seed', '7', '--kill-every', '25']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const closed = once(child, 'close') as Promise<[number | null]>
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = await closed
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('soak passed with seed 7')
}, 90_000)

it('keeps nothing of a turn that was never iterated once its user lets go of it', async () => {
  const { codex, cwd } = await openClient([message('tick ', { count: 100 })], { model: { repeatLast: true } })
  const thread = await codex.startThread({ cwd })
  const ended = [await endedTurn(thread), await endedTurn(thread)]
  setFlagsFromString('--expose-gc')
  await runInNewContext('gc')({ execution: 'async' })
  expect(ended.map((turn) => turn.deref())).toEqual([undefined, undefined])
})

async function endedTurn(thread: Thread): Promise<WeakRef<Turn>> {
  const turn = await thread.startTurn('count')
  await turn.outcome
  return new WeakRef(turn)
}
