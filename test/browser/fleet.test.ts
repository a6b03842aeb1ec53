// The console of two services on one real PostgreSQL.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { message } from '../../src/testing/index.ts'
import { type PostgresServer, startPostgres } from '../support/postgres/server.ts'
import { consoleStage } from './support/open-console.ts'
import { type RunningService, startService } from './support/running-service.ts'

const script = () => message('fine')
/** Read when the service is started, after the database. */
const env: Record<string, string> = { DRAWBRIDGE_WORKER_NAME: 'north' }
let postgres: PostgresServer
let south: RunningService

beforeAll(async () => {
  postgres = await startPostgres()
  env.DATABASE_URL = postgres.url('postgres')
})
afterAll(() => postgres?.close())

const stage = consoleStage(script, { env })

beforeAll(async () => {
  const other = { DRAWBRIDGE_WORKER_NAME: 'south', DRAWBRIDGE_WORKER_LABELS: 'gpu' }
  south = await startService(script, { env: { ...env, ...other } })
})
afterAll(() => south?.stop())

const row = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Workers' }).getByRole('listitem').filter({ hasText: name })

it('shows both workers, and drains one of them', async () => {
  const page = await stage.open('/system')
  await row(page, 'north').getByText('serves this page').waitFor()
  await row(page, 'south').getByText('gpu', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Drain south' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Drain south' }).click()
  await row(page, 'south').getByText('Draining', { exact: true }).waitFor()
  await expect
    .poll(async () => (await south.client.workers()).find(({ isThis }) => isThis)?.state)
    .toBe('draining')
  await page.getByRole('button', { name: 'Undrain south' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Undrain south' }).click()
  await row(page, 'south').getByText('Up', { exact: true }).waitFor()
})

it('starts a task on another worker, and shows it as it happens', async () => {
  const page = await stage.open('/new')
  await page.getByLabel('What should Codex do?').fill('say that it is fine')
  await page.getByLabel('Folder', { exact: true }).fill(south.cwd)
  await page.getByLabel('Run on').selectOption('gpu')
  await page.getByRole('button', { name: 'Start the task' }).click()
  await page.getByText('Turn done').waitFor()
  await page.getByRole('complementary', { name: 'Details' }).getByText('south', { exact: true }).waitFor()
  await page.goto(`${stage.service.url}/tasks`)
  await page.getByRole('listitem').filter({ hasText: 'say that it is fine' }).getByText('on south').waitFor()
})

it('says that the database is away while it is, and goes on when it is back', async () => {
  const page = await stage.open('/tasks')
  await page.getByRole('link', { name: 'say that it is fine' }).waitFor()
  await postgres.stop('immediate')
  await page.getByLabel('State').selectOption('done')
  const banner = page.getByRole('status').filter({ hasText: 'The database does not answer' })
  await banner.waitFor()
  await page.getByRole('link', { name: 'say that it is fine' }).waitFor()
  await postgres.start()
  await banner.waitFor({ state: 'detached' })
  const { client, cwd } = stage.service
  await client.tasks.start({ prompt: 'x', cwd, title: 'Started since' })
  await page.getByRole('link', { name: 'Started since' }).waitFor()
})
