// Somebody who knows nothing yet: one press to a task that works.
import { expect, it } from 'vitest'
import { message } from '../../src/testing/index.ts'
import { consoleStage } from './support/open-console.ts'

const stage = consoleStage(() => message('not the demo'))

it('teaches, runs the demo, asks one question, and shows the answer', async () => {
  const page = await stage.open('/')
  await page.getByRole('heading', { name: 'Codex works. You keep the gate.' }).waitFor()
  await page.getByRole('button', { name: 'Run the demo task' }).click()
  await page.getByRole('button', { name: 'Allow once' }).click({ timeout: 40_000 })
  await page.getByText('Allowed once by').waitFor()
  await page.getByText('Turn done').waitFor({ timeout: 40_000 })
  const { items } = await stage.service.client.tasks.list({})
  expect(items).toMatchObject([{ status: 'completed', labels: ['demo'] }])
  await page.keyboard.press('g')
  await page.keyboard.press('t')
  await page.getByRole('link', { name: 'Demo: what is in this folder?' }).waitFor()
})
