// Somebody who knows nothing yet: one press to a task that works, and two questions to the end.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import { makeWorkspace, message } from '../../src/testing/index.ts'
import { press } from './support/keys.ts'
import { consoleStage, seriousFindings } from './support/open-console.ts'

const cache = await makeWorkspace()
afterAll(() => cache.remove())
const stage = consoleStage(() => message('not the demo'), {
  // Nobody is logged in.
  home: { config: { 'model_providers.scripted.requires_openai_auth': true } },
  env: { XDG_CACHE_HOME: cache.path },
})

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true } as const
const LOOKS: readonly (readonly [string, BrowserContextOptions])[] = [
  ['on a desktop', { viewport: { width: 1280, height: 800 } }],
  ['on a phone', PHONE],
  ['on a small phone', { ...PHONE, viewport: { width: 360, height: 640 } }],
]

const demoButton = (page: Page) => page.getByRole('button', { name: 'Run the demo' })
const newest = async () => (await stage.service.client.tasks.list({})).items[0]!
const toll = (cwd: string) => readFileSync(path.join(cwd, 'toll.js'), 'utf8')

// Before there is a task: afterwards nobody is new.
it.each(LOOKS)('sees the button without scrolling, %s', async (_, options) => {
  const page = await stage.open('/', options)
  await page.getByRole('heading', { name: 'Codex works. You keep the gate.' }).waitFor()
  // What is said of the login comes later, and must not push it away.
  await page.getByRole('region', { name: 'Login of Codex' }).waitFor()
  const box = (await demoButton(page).boundingBox())!
  const nav = (await page.getByRole('navigation', { name: 'Main' }).boundingBox())!
  const bottom = nav.y > 0 && nav.x === 0 ? nav.y : options.viewport!.height
  expect(box.y).toBeGreaterThanOrEqual(0)
  expect(box.y + box.height).toBeLessThanOrEqual(bottom)
  expect(await seriousFindings(page)).toEqual([])
})

it('shows the plan, the failing test, the diff and the command, and does what is allowed', async () => {
  const page = await stage.open('/', PHONE)
  await demoButton(page).click()
  await page.getByRole('region', { name: 'Plan' }).waitFor()
  await page.getByText('✖ a farmer pays half: wanted 4, got -392').first().waitFor()
  const { cwd, id } = await newest()
  await page.getByRole('heading', { name: 'Change a file' }).waitFor()
  expect(toll(cwd)).toContain('(1 - discount)')
  await page.getByRole('button', { name: 'Allow once' }).click()
  await page.getByText('Allowed once by').waitFor()
  await page.getByText('Keep the fix?').waitFor()
  await page.getByRole('button', { name: 'Allow once' }).click()
  await page.getByText('It is committed as').waitFor()
  await page.getByText('Turn done').waitFor()
  expect(await page.getByText(/warning|metadata/i).count()).toBe(0)
  expect(toll(cwd)).toContain('(1 - discount / 100)')
  expect(execFileSync('git', ['log', '--oneline'], { cwd, encoding: 'utf8' }).split('\n')).toHaveLength(4)
  // That the turn has ended is in the log before the task has settled.
  const ended = await stage.service.client.tasks.wait(id, { timeoutMs: 30_000 })
  expect(ended).toMatchObject({ status: 'completed', labels: ['demo'] })
})

it('takes a no, says so, and begins anew the next time', async () => {
  const page = await stage.open('/new')
  const before = await newest()
  // Whoever has seen it, and has no login yet, finds it again.
  await page.getByRole('button', { name: 'Run the demo' }).click()
  await page.getByRole('heading', { name: 'Change a file' }).waitFor()
  const { cwd, id } = await newest()
  expect(cwd).not.toBe(before.cwd)
  await page.getByRole('button', { name: 'Deny', exact: true }).click()
  await page.getByText('I did not change it, because the answer was no').waitFor()
  await stage.service.client.tasks.wait(id, { timeoutMs: 30_000 })
  expect(toll(cwd)).toContain('(1 - discount)')
  await press(page, 'g t', page.getByRole('link', { name: 'Demo: fix the failing test' }).first())
})
