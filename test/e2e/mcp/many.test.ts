// Many waits at once, and clients that die in the middle of one.
import { expect, it } from 'vitest'
import { message } from '../../../src/testing/index.ts'
import { mcpClient, waitUntil } from '../../support/mcp-clients.ts'
import { serviceStage } from '../../support/service-stage.ts'
import { waitsOpen } from '../../support/waiting-calls.ts'

const COUNT = 50

it.each(['v2 stdio', 'v2 http'] as const)(
  '50 calls of %s wait at the same time and all hear the end',
  async (name) => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const stage = await serviceStage(() => released.then(() => message('For all.')))
    await stage.json('task', 'list')
    const { call } = await mcpClient(name, stage)
    const { taskId } = (await call('task_start', { prompt: 'work', cwd: stage.cwd })).json
    const waits = Array.from({ length: COUNT }, () => call('task_wait', { taskId, maxWaitS: 120 }))
    await waitsOpen(stage, COUNT)
    release()
    const ends = await Promise.all(waits)
    expect(ends.map(({ json }) => json.status)).toEqual(Array.from({ length: COUNT }, () => 'completed'))
    expect(ends.every(({ text }) => text.includes('answer:\nFor all.'))).toBe(true)
    await waitsOpen(stage, 0)
  },
)

it('a client that is killed while it waits leaves the task at work, and the next one gets the answer', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const stage = await serviceStage(() => released.then(() => message('All the same.')))
  const first = await mcpClient('v2 stdio', stage)
  const { taskId } = (await first.call('task_start', { prompt: 'work', cwd: stage.cwd })).json
  await stage.model.waitForRequests(1, { timeoutMs: 20_000 })
  const waiting = expect(first.call('task_wait', { taskId, maxWaitS: 120 })).rejects.toThrow()
  await waitsOpen(stage, 1)
  process.kill(first.pid!, 'SIGKILL')
  await waiting
  await waitsOpen(stage, 0)
  release()
  const second = await mcpClient('v2 stdio', stage)
  const end = await waitUntil(second.call, taskId, ({ json }) => json.status === 'completed')
  expect(end.text).toContain('answer:\nAll the same.')
})

it('progress is told to a client that wants it, and grows', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const stage = await serviceStage(() => released.then(() => message('Done.')))
  await stage.json('task', 'list')
  for (const name of ['v2 stdio', 'v1 http'] as const) {
    const { call } = await mcpClient(name, stage)
    const { taskId } = (await call('task_start', { prompt: 'work', cwd: stage.cwd })).json
    const told: number[] = []
    const { promise: heard, resolve } = Promise.withResolvers<void>()
    const gaveUp = new AbortController()
    const onprogress = ({ progress }: { progress: number }) => {
      told.push(progress)
      if (told.length === 2) resolve()
    }
    const waiting = call('task_wait', { taskId, maxWaitS: 100 }, { onprogress, signal: gaveUp.signal })
    waiting.catch(() => undefined)
    await heard
    gaveUp.abort()
    expect(told[1]).toBeGreaterThan(told[0]!)
  }
  release()
})
