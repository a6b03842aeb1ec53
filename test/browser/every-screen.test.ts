// What holds for every screen: it can be used by everybody, fits a phone, and asks nobody but us for anything.
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { initialScript } from './support/initial-script.ts'
import { press } from './support/keys.ts'
import { consoleStage, seriousFindings } from './support/open-console.ts'
import { FILES, scene } from './support/scene.ts'

const home = { config: { 'features.default_mode_request_user_input': true } }
const stage = consoleStage(scene, { home, files: FILES })
const ids: Record<string, string> = {}

beforeAll(async () => {
  const { client, cwd } = stage.service
  const prompts = {
    fix: 'Fix the flaky invoice test',
    publish: 'Publish it',
    choose: 'Choose a store',
    rename: 'Rename it',
  }
  for (const [name, prompt] of Object.entries(prompts)) {
    const write = name === 'fix' && {
      policy: { sandbox: 'workspace-write' as const },
      preset: 'workspace' as const,
    }
    const { id } = await client.tasks.start({ prompt, cwd, labels: [name], ...write })
    await client.tasks.wait(id, { timeoutMs: 60_000 })
    ids[name] = id
  }
  await client.addRule({ text: 'allow command git status' })
})

const screens = [
  ['inbox', () => '/inbox', 'Publish it'],
  ['tasks', () => '/tasks', 'Publish it'],
  ['a task that is done', () => `/tasks/${ids.fix}`, 'daylight saving'],
  ['a task that asks', () => `/tasks/${ids.publish}`, 'Allow once'],
  ['new task', () => '/new', 'What should Codex do?'],
  ['rules', () => '/rules', 'allow command git status'],
  ['system', () => '/system', 'codex 0.'],
] as const

describe.each(screens)('%s', (_, address, text) => {
  it('has no serious finding of axe, light or dark as the system is', async () => {
    const page = await stage.open(address(), { colorScheme: 'light', reducedMotion: 'reduce' })
    await page.getByText(text).first().waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.locator('html[data-theme="dark"]').waitFor()
    expect(await seriousFindings(page)).toEqual([])
  })

  it('fits a phone of 380 pixels', async () => {
    const asked: string[] = []
    const page = await stage.open(address(), {
      viewport: { width: 380, height: 760 },
      hasTouch: true,
      isMobile: true,
    })
    page.on('request', (request) => asked.push(new URL(request.url()).origin))
    await page.reload()
    await page.getByText(text).first().waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(380)
    await page.getByRole('navigation', { name: 'Main' }).last().getByRole('link', { name: /Inbox/ }).waitFor()
    expect([...new Set(asked)]).toEqual([stage.service.url])
  })
})

it('fetches at most 250 KB of compressed script before it can be used', async () => {
  const page = await stage.open('/inbox')
  await page.getByRole('navigation').first().waitFor()
  const { bytes, files } = await initialScript(page)
  expect(files).toBeGreaterThan(0)
  expect(bytes).toBeLessThan(250_000)
})

describe('what opens', () => {
  const places = [
    ['the help', '/inbox', (page: Page) => page.getByRole('button', { name: 'Keys and words' }).click()],
    ['the board', '/tasks', (page: Page) => page.getByRole('radio', { name: 'Board' }).click()],
    [
      'a rule to be made',
      '/inbox',
      (page: Page) => page.getByRole('button', { name: 'Always allow' }).first().click(),
    ],
    [
      'the fields of a new task',
      '/new',
      (page: Page) => page.getByText('Title, labels, who is told').click(),
    ],
  ] as const

  it.each(places)('has no serious finding of axe: %s', async (_, address, open) => {
    const page = await stage.open(address, { reducedMotion: 'reduce' })
    await open(page)
    expect(await seriousFindings(page)).toEqual([])
  })

  it.each(['Usage', 'Changes', 'Events'])('has no serious finding of axe: the %s of a task', async (name) => {
    const page = await stage.open(`/tasks/${ids.fix}`, { reducedMotion: 'reduce' })
    await page.getByRole('tab', { name }).click()
    await page.getByRole('tabpanel', { name }).waitFor()
    expect(await seriousFindings(page)).toEqual([])
  })

  it('has no serious finding of axe: the page for those who are not let in', async () => {
    const page = await stage.openStranger('/')
    await page.getByText('drawbridge login-link').waitFor()
    expect(await seriousFindings(page)).toEqual([])
  })
})

it('beside a task are its state, policy, tokens, changes and events', async () => {
  const page = await stage.open(`/tasks/${ids.fix}`)
  const side = page.getByRole('complementary', { name: 'Details' })
  await side.getByText('workspaceWrite').waitFor()
  await side.getByRole('tab', { name: 'Usage' }).click()
  await side.getByRole('img', { name: /Tokens by turn: \d+/ }).waitFor()
  await side.getByRole('tab', { name: 'Changes' }).click()
  await side.getByText('src/invoice.test.js').waitFor()
  await side.getByRole('tab', { name: 'Events' }).click()
  await side.getByLabel('Filter events by method').fill('turn/completed')
  await side.getByRole('button', { name: /turn\/completed/ }).click()
  await side.getByText('"status": "completed"').waitFor()
})

it('tools and thinking are shown as much as a viewer wants, and stay so', async () => {
  const page = await stage.open(`/tasks/${ids.fix}`)
  const transcript = page.getByRole('region', { name: 'Transcript' })
  await transcript.getByRole('button', { name: /Changed/ }).waitFor()
  await page.getByLabel('Tools').selectOption('hidden')
  await transcript.getByRole('button', { name: /Changed/ }).waitFor({ state: 'detached' })
  await page.reload()
  await transcript.getByText('daylight saving').first().waitFor()
  expect(await transcript.getByRole('button', { name: /Changed/ }).count()).toBe(0)
  await page.getByLabel('Tools').selectOption('full')
  await transcript.getByText('src/invoice.test.js').first().waitFor()
})

it('a task can be found, opened and left by keyboard', async () => {
  const page = await stage.open('/tasks')
  await page.getByRole('link', { name: 'Rename it' }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('flaky')
  await page.getByRole('link', { name: 'Rename it' }).waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.getByText('daylight saving').waitFor()
  await press(page, 'g t', page.getByRole('heading', { name: 'Tasks' }))
})

it('tasks are on a board by state, and picked ones are archived together', async () => {
  const page = await stage.open('/tasks')
  await page.getByRole('radio', { name: 'Board' }).click()
  await page.getByRole('region', { name: 'Needs you' }).getByText('Publish it').waitFor()
  await page.getByRole('region', { name: 'Done' }).getByText('Fix the flaky').waitFor()
  await page.getByRole('radio', { name: 'List' }).click()
  await page.getByLabel('Pick Fix the flaky invoice test').check()
  await page.getByRole('button', { name: 'Archive 1' }).click()
  await page.getByRole('link', { name: 'Fix the flaky invoice test' }).waitFor({ state: 'detached' })
  await page.getByLabel('Archived').check()
  await page.getByRole('link', { name: 'Fix the flaky invoice test' }).waitFor()
})
