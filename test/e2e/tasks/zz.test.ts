import { expect, it } from 'vitest'
import { message } from '../../../src/testing/index.ts'
import { openTasks } from '../../support/open-tasks.ts'
import { runTask } from '../../support/task-facts.ts'
it.each([[3000, 100_000],[30_000,100_000],[100_000,100_000],[100_000, 1_000]])('%d x10 in chunks of %d', async (n, chunkSize) => {
  const text = `start ${'0123456789'.repeat(n)} end`
  const { tasks, request } = await openTasks(() => message(text, { chunkSize }))
  const t0 = performance.now()
  const task = await runTask(tasks, request('go'))
  console.log(n, chunkSize, task.status, Math.round(performance.now() - t0))
  expect(task.status).toBe('completed')
})
