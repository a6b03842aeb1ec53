// The service comes and goes under an open page.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { lastUserText, type ModelRequest, message } from '../../src/testing/index.ts'
import { consoleStage } from './support/open-console.ts'

const WORDS = Array.from({ length: 60 }, (_, index) => `word-${index + 1} `)

const stage = consoleStage((request: ModelRequest) =>
  lastUserText(request) === 'count' ? message(WORDS, { delayMs: 120 }) : message('fine'),
)

const banner = (page: Page) => page.getByRole('status').filter({ hasText: 'The service cannot be reached' })

it('is killed and started again while a turn runs: the page says so, goes on, and misses nothing', async () => {
  const { client, cwd } = stage.service
  const { id } = await client.tasks.start({ prompt: 'count', cwd })
  const page = await stage.open(`/tasks/${id}`)
  await page.getByText('word-5 ').waitFor()
  await stage.service.kill()
  await banner(page).waitFor()
  await stage.service.restart()
  await banner(page).waitFor({ state: 'detached' })
  await page.getByText('Turn done').waitFor()
  const text = (await page.getByRole('region', { name: 'Transcript' }).textContent()) ?? ''
  expect(text.match(/word-\d+/g)).toEqual(WORDS.map((word) => word.trim()))
  await page.reload()
  await page.getByText('Turn done').waitFor()
  const again = (await page.getByRole('region', { name: 'Transcript' }).textContent()) ?? ''
  expect(again.match(/word-\d+/g)).toEqual(WORDS.map((word) => word.trim()))
})

it('ends and comes back: the page says so and since when, keeps what was typed, and is up to date again', async () => {
  const { client, cwd } = stage.service
  const { id } = await client.tasks.start({ prompt: 'hello', cwd, title: 'Known before' })
  await client.tasks.wait(id, { timeoutMs: 30_000 })
  const [page, list] = [await stage.open(`/tasks/${id}`), await stage.open('/tasks')]
  await page.getByText('Turn done').waitFor()
  await list.getByRole('link', { name: 'Known before' }).waitFor()
  await stage.service.end()
  for (const each of [page, list])
    await banner(each)
      .getByText(/trying again\. What you see is from (just now|\d+ s ago)/)
      .waitFor()
  const box = page.getByLabel('Message to Codex')
  await box.fill('are you there?')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('alert').getByText('The service cannot be reached.').waitFor()
  expect(await box.inputValue()).toBe('are you there?')
  await list.getByRole('link', { name: 'Known before' }).waitFor()

  await stage.service.restart()
  await client.tasks.start({ prompt: 'hello again', cwd, title: 'Started since' })
  await list.getByRole('link', { name: 'Started since' }).waitFor()
  for (const each of [page, list]) await banner(each).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('Turn done').nth(1).waitFor()
  // In the transcript, once; and no longer as what comes next.
  await expect.poll(() => page.getByText('are you there?').count()).toBe(1)
})

it('does not know a browser without a link: the page says how to get one', async () => {
  const page = await stage.openStranger('/tasks')
  await page.getByText('drawbridge login-link').waitFor()
  expect(await page.getByRole('navigation').count()).toBe(0)
})
