// The service comes and goes under an open page.
import { expect, it } from 'vitest'
import { lastUserText, type ModelRequest, message } from '../../src/testing/index.ts'
import { consoleStage } from './support/open-console.ts'

const WORDS = Array.from({ length: 80 }, (_, index) => `word-${index + 1} `)

const stage = consoleStage((request: ModelRequest) =>
  lastUserText(request) === 'count' ? message(WORDS, { delayMs: 150 }) : message('fine'),
)

it('is killed and started again while a turn runs: the page says so, goes on, and misses nothing', async () => {
  const { client, cwd } = stage.service
  const { id } = await client.tasks.start({ prompt: 'count', cwd })
  const page = await stage.open(`/tasks/${id}`)
  await page.getByText('word-5 ').waitFor()
  await stage.service.kill()
  await page.getByText('The service cannot be reached').waitFor()
  await stage.service.restart()
  await page.getByText('The service cannot be reached').waitFor({ state: 'detached', timeout: 30_000 })
  await page.getByText('Turn done').waitFor({ timeout: 40_000 })
  const text = (await page.getByRole('region', { name: 'Transcript' }).textContent()) ?? ''
  expect(text.match(/word-\d+/g)).toEqual(WORDS.map((word) => word.trim()))
  await page.reload()
  await page.getByText('Turn done').waitFor()
  const again = (await page.getByRole('region', { name: 'Transcript' }).textContent()) ?? ''
  expect(again.match(/word-\d+/g)).toEqual(WORDS.map((word) => word.trim()))
})

it('does not know a browser without a link: the page says how to get one', async () => {
  const page = await stage.openStranger('/tasks')
  await page.getByText('drawbridge login-link').waitFor()
  expect(await page.getByRole('navigation').count()).toBe(0)
})
