// Somebody who knows nothing yet: one press to a task that works.
import { expect, it } from 'vitest'
import { message } from '../../src/testing/index.ts'
import { press } from './support/keys.ts'
import { consoleStage } from './support/open-console.ts'

const stage = consoleStage(() => message('not the demo'))

it('teaches, runs the demo, asks one question, and shows the answer', async () => {
  const { client } = stage.service
  const page = await stage.open('/')
  await page.getByRole('heading', { name: 'Codex works. You keep the gate.' }).waitFor()
  await page.getByRole('button', { name: 'Run the demo task' }).click()
  await page.getByRole('button', { name: 'Allow once' }).click()
  await page.getByText('Allowed once by').waitFor()
  await page.getByText('Turn done').waitFor()
  // That the turn has ended is in the log before the task has settled.
  const [task] = (await client.tasks.list({})).items
  expect(await client.tasks.wait(task!.id, { timeoutMs: 30_000 })).toMatchObject({
    status: 'completed',
    labels: ['demo'],
  })
  await press(page, 'g t', page.getByRole('link', { name: 'Demo: what is in this folder?' }))
})
