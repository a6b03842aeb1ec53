// The accounts that tasks borrow, as the console shows them: gauges, states, and what a browser may do with them.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { codexConfig, headers, message, startScriptedModel } from '../../src/testing/index.ts'
import { startAccountIssuer } from '../support/account-issuer.ts'
import { consoleStage, seriousFindings } from './support/open-console.ts'

const model = await startScriptedModel(() => [
  headers({
    'x-codex-primary-used-percent': '42',
    'x-codex-primary-window-minutes': '300',
    'x-codex-primary-reset-at': String(Math.floor(Date.now() / 1_000) + 3_600),
  }),
  message('Done.'),
])
const issuer = await startAccountIssuer(model)
afterAll(async () => {
  await issuer.close()
  await model.close()
})

const stage = consoleStage(() => message('x'), { env: issuer.env })
let taskId = ''

beforeAll(async () => {
  const { client, cwd } = stage.service
  const config = codexConfig(model, issuer.home)
  for (const name of ['office', 'spare']) {
    const login = { type: 'authJson', authJson: issuer.login(name).authJson } as const
    await client.accounts.add({ name, config, login, pools: ['team'], reservePercent: 20 })
  }
  const { id } = await client.tasks.start({ prompt: 'Say it', cwd, account: 'pool:team', onLimit: 'switch' })
  expect(await client.tasks.wait(id, { timeoutMs: 60_000 })).toMatchObject({ status: 'completed' })
  taskId = id
})

const rowOf = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Accounts for tasks' }).getByRole('listitem').filter({ hasText: name })

it('shows what turns and checks tell of an account, and a browser checks, disables and enables it', async () => {
  const { client } = stage.service
  const page = await stage.open('/system', { colorScheme: 'light' })
  const { accountId } = await client.tasks.get(taskId)
  const { name } = (await client.accounts.list()).find(({ id }) => id === accountId)!
  const row = rowOf(page, name)
  await row.getByText('42 % used').waitFor()
  expect(await row.textContent()).toMatch(/5-hour.*Resets at .*as of just now/)
  expect(await row.textContent()).toContain('Tasks leave 20 % of each window to people')
  expect(await row.textContent()).toContain('Never checked')
  expect(await row.getByRole('meter', { name: '5-hour: used' }).getAttribute('value')).toBe('42')

  const other = rowOf(page, name === 'office' ? 'spare' : 'office')
  await other.getByRole('button', { name: /^Check / }).click()
  await other.getByText('Alive: codex has renewed the login.').waitFor()
  await other.getByText('weekly', { exact: true }).waitFor()
  await other.getByText('gpt-small 5-hour', { exact: true }).waitFor()
  expect(await other.textContent()).toMatch(/@example.com.*Plan plus/)
  await other.getByRole('button', { name: /^Disable / }).click()
  await other.getByText('Disabled', { exact: true }).waitFor()
  await other.getByRole('button', { name: /^Enable / }).click()
  await other.getByText('Free', { exact: true }).waitFor()
  expect((await client.accounts.list()).map(({ state }) => state)).toEqual(['active', 'active'])
  expect(issuer.reused).toEqual([])
  expect(await seriousFindings(page)).toEqual([])
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.locator('html[data-theme="dark"]').waitFor()
  expect(await seriousFindings(page)).toEqual([])
  const picture = process.env.DRAWBRIDGE_PICTURES
  if (picture) await photograph(page, picture)
})

it('tells on the page of a task which account it has, and why', async () => {
  const page = await stage.open(`/tasks/${taskId}`)
  await page.getByText(/is next in the pool:team/).waitFor()
  const details = page.locator('dl').filter({ hasText: 'Account' })
  expect(await details.textContent()).toMatch(/Account(office|spare), of the pool:team/)
  expect(await details.textContent()).toContain('it goes on with another of the pool')
  await details.getByRole('link', { name: /office|spare/ }).click()
  await rowOf(page, 'office').waitFor()
})

async function photograph(page: Page, folder: string): Promise<void> {
  for (const [look, width] of [
    ['desktop', 1280],
    ['phone', 380],
  ] as const)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme })
      const panel = page
        .locator('section')
        .filter({ has: page.getByRole('list', { name: 'Accounts for tasks' }) })
      await panel.screenshot({ path: `${folder}/${look}-${colorScheme}.png` })
    }
}
