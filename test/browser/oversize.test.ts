// An event too large for the log, in the page: its size and its head, and the whole of it when asked for.
import { expect, it } from 'vitest'
import { lastUserText, type ModelRequest, message } from '../../src/testing/index.ts'
import { consoleStage } from './support/open-console.ts'

const LONG = `begin ${'0123456789'.repeat(310_000)} finish`

const stage = consoleStage((request: ModelRequest) =>
  lastUserText(request) === 'be long' ? message(LONG, { chunkSize: 100_000 }) : message('short'),
)

it('is one row with its size, which opens to its head and then to all of it', async () => {
  const { client, cwd } = stage.service
  const { id } = await client.tasks.start({ prompt: 'be long', cwd })
  await client.tasks.wait(id, { timeoutMs: 60_000 })
  const page = await stage.open(`/tasks/${id}`)
  await page.getByText('Turn done').waitFor()
  const row = page.getByRole('button', { name: /^item\/completed/ })
  await row.getByText('3 MB').waitFor()
  // It stands for the message, which was not cut short.
  expect(await page.getByText('cut short').count()).toBe(0)
  await row.click()
  const text = page.getByRole('region', { name: 'item/completed' })
  await text.getByText('begin 0123456789').waitFor()
  expect(((await text.textContent()) ?? '').length).toBeLessThan(5000)
  await page.getByRole('button', { name: 'Show all of it' }).click()
  await expect.poll(async () => (await text.textContent())?.includes(' finish"')).toBe(true)
  await page.getByLabel('Message to Codex').fill('and now be brief')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('short', { exact: true }).waitFor()
})
