// The board of more tasks than a page of the list has.
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, expect, it } from 'vitest'
import { message } from '../../src/testing/index.ts'
import { consoleStage } from './support/open-console.ts'

const stage = consoleStage(() => message('fine'))

/** Copies of one task that is done: 249 newer ones, and an older one that failed. */
beforeAll(async () => {
  const { client, cwd, dataDir } = stage.service
  const { id } = await client.tasks.start({ prompt: 'small', cwd, title: 'The first' })
  await client.tasks.wait(id, { timeoutMs: 60_000 })
  await stage.service.end()
  const database = new DatabaseSync(path.join(dataDir, 'drawbridge.db'))
  const row = database.prepare('select * from tasks where id = ?').get(id) as Record<string, never>
  const names = Object.keys(row)
  const insert = database.prepare(
    `insert into tasks (${names.join(', ')}) values (${names.map((name) => `$${name}`).join(', ')})`,
  )
  const copy = (change: object) => insert.run({ ...row, thread_id: null, ...change } as never)
  for (let index = 1; index < 250; index++)
    copy({ id: `copy-${index}`, title: `Copy ${index}`, created_at: Number(row.created_at) + index })
  copy({ id: 'old', title: 'An old failure', status: 'failed', created_at: Number(row.created_at) - 1 })
  database.close()
  await stage.service.restart()
})

it('counts all tasks, and shows old ones of rare states', async () => {
  const page = await stage.open('/tasks')
  await page.getByRole('radio', { name: 'Board' }).click()
  await page.getByRole('heading', { name: 'Done 250' }).waitFor()
  const done = page.getByRole('region', { name: 'Done' })
  await done.getByText('and 200 more, in the list').waitFor()
  const ended = page.getByRole('region', { name: 'Ended otherwise' })
  await ended.getByRole('heading', { name: 'Ended otherwise 1' }).waitFor()
  await ended.getByText('An old failure').waitFor()
  await page.getByLabel('Search').fill('Copy 24')
  await page.getByRole('heading', { name: 'Done 11' }).waitFor()
  expect(await done.getByRole('listitem').count()).toBe(11)
})
