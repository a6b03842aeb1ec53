// What a task hands over and says, in the console: progress, a link, a mark, files that are looked at, sent back, accepted.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { functionCall, type ModelRequest, message, toolOutputs } from '../../src/testing/index.ts'
import { consoleStage } from './support/open-console.ts'

const LINK = 'https://login.example/device?code=ABCD-1234'
const released = Promise.withResolvers<void>()

const call = (name: string, given: object) =>
  functionCall(name, given as Record<string, unknown>, { namespace: 'mcp__host_tools' })
const CALLS = [
  call('deliver', { path: 'report.md', title: 'The report', note: 'Figures of the third quarter.' }),
  call('deliver', { path: 'figures.csv', title: 'The figures' }),
  call('attention', { reason: 'The numbers of May look wrong.' }),
  call('open_url', { url: LINK }),
  call('status', { text: 'Checking the totals', percent: 60 }),
]

async function script(request: ModelRequest) {
  const made = toolOutputs(request).length
  if (made < CALLS.length) return CALLS[made]!
  await released.promise
  return message('done')
}

const stage = consoleStage(script, {
  files: { 'report.md': '# Report\n<script>alert(1)</script>\n', 'figures.csv': 'a,b\n1,2\n' },
})

it('shows what a task hands over and says, and answers it', async () => {
  const { client, cwd } = stage.service
  const tools = ['drawbridge_deliver', 'drawbridge_report']
  const { id } = await client.tasks.start({ prompt: 'report', cwd, tools })
  const page = await stage.open('/tasks')
  const row = page.getByRole('list', { name: 'Tasks' })
  await row.getByText('60 % · Checking the totals').waitFor()
  await row.getByText('Wants you to look').waitFor()
  await row.getByText('2 files to answer').waitFor()

  await page.goto(`${page.url().split('/tasks')[0]}/tasks/${id}`)
  await page.getByText('The numbers of May look wrong.').first().waitFor()
  const link = page.getByRole('link', { name: LINK })
  expect(await link.getAttribute('rel')).toBe('noopener noreferrer')
  await page.getByRole('button', { name: 'Seen' }).click()
  await page.getByRole('button', { name: 'Seen' }).waitFor({ state: 'detached' })
  expect((await client.tasks.get(id)).attention).toBeNull()

  const list = page.getByRole('list', { name: 'Deliverables' })
  await list.getByRole('button', { name: 'Show The report' }).click()
  await list.getByText('<script>alert(1)</script>').waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    list.getByRole('link', { name: 'Download The figures' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('figures.csv')
  expect(readFileSync(await download.path(), 'utf8')).toBe('a,b\n1,2\n')

  const report = list.getByRole('listitem').filter({ hasText: 'The report' })
  await report.getByLabel('Words about The report').fill('Add May.')
  await report.getByRole('button', { name: 'Send back' }).click()
  await report.getByText(/^Sent back by/).waitFor()
  const figures = list.getByRole('listitem').filter({ hasText: 'The figures' })
  await figures.getByRole('button', { name: 'Accept' }).click()
  await figures.getByText(/^Accepted by/).waitFor()
  expect((await client.deliverables.list(id)).map(({ status, words }) => [status, words])).toEqual([
    ['sent-back', 'Add May.'],
    ['accepted', null],
  ])
  released.resolve()
  await client.tasks.wait(id, { timeoutMs: 60_000 })
})
