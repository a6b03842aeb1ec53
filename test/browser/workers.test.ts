// Several workers on one database, as people see them.
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { message } from '../../src/testing/index.ts'
import { changeTasks, showWorkers, worker } from './support/fleet.ts'
import { consoleStage, seriousFindings } from './support/open-console.ts'

const stage = consoleStage(() => message('fine'), { files: { 'README.md': 'x' } })

const FLEET = [
  worker('build-1', { isThis: true, labels: ['linux'] }),
  worker('build-2', { labels: ['linux', 'gpu'], working: 8, tasks: 11 }),
  worker('build-3', { state: 'lost', silentMs: 190_000, tasks: 1 }),
]

const row = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Workers' }).getByRole('listitem').filter({ hasText: name })

/** Opened once what the page is told is in place. */
async function openWith(address: string, prepare: (page: Page) => Promise<unknown>, look = {}) {
  const page = await stage.open('/inbox', { reducedMotion: 'reduce', ...look })
  await prepare(page)
  await page.goto(stage.service.url + address)
  return page
}

const PHONE = { viewport: { width: 380, height: 760 }, hasTouch: true, isMobile: true }

describe('the system page', () => {
  it('shows every worker: its state, load, when it was heard of, labels and version', async () => {
    const page = await openWith('/system', (each) => showWorkers(each, FLEET))
    await row(page, 'build-1')
      .getByText(/^heard \d+ s ago$/)
      .waitFor()
    for (const text of ['Up', 'serves this page', 'linux', '2 of 8 working', '5 tasks', 'version 0.1.0'])
      await row(page, 'build-1').getByText(text, { exact: true }).waitFor()
    await row(page, 'build-3').getByText('not heard of for 3 min').waitFor()
    await row(page, 'build-3').getByText('Its tasks wait for it to come back').waitFor()
    expect(await row(page, 'build-3').getByRole('button').count()).toBe(0)
    await page.getByText('2 of 3 up · room for 6 more turns').waitFor()
  })

  it('drains and undrains a worker once somebody has read what that does', async () => {
    let asked: string[] = []
    const page = await openWith('/system', async (each) => {
      asked = await showWorkers(each, FLEET)
    })
    await page.getByRole('button', { name: 'Drain build-2' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('build-2 takes no new tasks. The 11 tasks it has stay with it').waitFor()
    await dialog.getByText('New tasks run on the other workers.').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(asked).toEqual([])

    await page.getByRole('button', { name: 'Drain build-2' }).click()
    await dialog.getByRole('button', { name: 'Drain build-2' }).click()
    await row(page, 'build-2').getByText('Draining', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Undrain build-2' }).click()
    await dialog.getByText('build-2 takes new tasks again.').waitFor()
    await dialog.getByRole('button', { name: 'Undrain build-2' }).click()
    await page.getByRole('button', { name: 'Drain build-2' }).waitFor()
    expect(asked).toEqual(['drain build-2', 'undrain build-2'])
  })

  it('says that new tasks wait when the last worker that is up is drained', async () => {
    const page = await openWith('/system', (each) => showWorkers(each, [FLEET[0]!, FLEET[2]!]))
    await page.getByRole('button', { name: 'Drain build-1' }).click()
    await page.getByRole('dialog').getByText('No other worker is up: new tasks wait until one is.').waitFor()
  })

  it('says nothing of workers where there is one service', async () => {
    const page = await stage.open('/system')
    await page.getByRole('heading', { name: 'Trusted folders' }).waitFor()
    await page.locator('[aria-busy="false"]').waitFor()
    expect(await page.getByRole('heading', { name: 'Workers' }).count()).toBe(0)
  })
})

describe('a new task', () => {
  it('can be asked to run on a worker or a label, and to end when its worker is lost', async () => {
    const page = await openWith('/new', (each) => showWorkers(each, FLEET))
    const choice = page.getByLabel('Run on')
    await choice.waitFor()
    expect(await choice.getByRole('option').allTextContents()).toEqual([
      'Any worker that has the folder',
      'build-1 (2 of 8 working)',
      'build-2 (8 of 8 working)',
      'Any with label gpu (1 worker)',
      'Any with label linux (2 workers)',
    ])
    await choice.selectOption('gpu')
    await page.getByLabel('If that worker is lost').selectOption('fail')
    await page.getByLabel('What should Codex do?').fill('train it')
    await page.getByLabel('Folder', { exact: true }).fill('/srv/only-elsewhere')
    await page.getByText('Not on the machine that serves this page').waitFor()
    const asked = page.waitForRequest(
      (request) => request.method() === 'POST' && request.url().endsWith('/v1/tasks'),
    )
    await page.route('**/v1/tasks', (route) => route.abort())
    await page.getByRole('button', { name: 'Start the task' }).click()
    expect((await asked).postDataJSON()).toMatchObject({
      on: 'gpu',
      onLost: 'fail',
      cwd: '/srv/only-elsewhere',
    })
  })

  it('is not asked where to run when there is no choice', async () => {
    const page = await stage.open('/new')
    await page.getByLabel('What should Codex do?').fill('x')
    await page.getByText('Untrusted folder').waitFor()
    expect(await page.getByLabel('Run on').count()).toBe(0)
  })
})

describe('a task', () => {
  const ids: Record<string, string> = {}
  beforeAll(async () => {
    const { client, cwd } = stage.service
    for (const title of ['Runs there', 'Waits for it', 'Wants a GPU']) {
      ids[title] = (await client.tasks.start({ prompt: 'x', cwd, title })).id
      await client.tasks.wait(ids[title], { timeoutMs: 60_000 })
    }
  })
  const FIELDS = {
    'Runs there': { worker: { id: 'w', name: 'build-1' } },
    'Waits for it': {
      status: 'waiting',
      waitingFor: 'worker',
      worker: { id: 'w', name: 'build-3' },
      reason: 'its worker build-3 has not been heard of since 22:10: it goes on when that is back',
    },
    'Wants a GPU': {
      status: 'queued',
      on: 'gpu',
      reason: 'it waits for a worker with the name or label gpu',
      result: null,
    },
  } as const

  it('says in the list on which worker it is, and what it waits for', async () => {
    const page = await openWith('/tasks', (each) => changeTasks(each, FIELDS))
    const item = (title: string) => page.getByRole('listitem').filter({ hasText: title })
    await item('Runs there').getByText('on build-1').waitFor()
    await item('Waits for it').getByText('Needs its worker').waitFor()
    await item('Waits for it').getByText('on build-3').waitFor()
    await item('Wants a GPU').getByText('It waits for a worker with the name or label gpu').waitFor()
  })

  it('says on its page why it stands still, and when it goes on', async () => {
    const page = await openWith(`/tasks/${ids['Waits for it']}`, (each) => changeTasks(each, FIELDS))
    const note = page.getByRole('status').filter({ hasText: 'See the workers' })
    await note.getByText('Its thread and its folder are on build-3: it goes on there.').waitFor()
    await page.getByRole('complementary', { name: 'Details' }).getByText('the task waits for it').waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await page.goto(`${stage.service.url}/tasks/${ids['Wants a GPU']}`)
    await note.getByText('It waits for a worker with the name or label gpu.').waitFor()
  })
})

describe('a database that does not answer', () => {
  const banner = (page: Page) => page.getByRole('status').filter({ hasText: 'The database does not answer' })
  const away = {
    status: 503,
    json: { error: { code: 'unavailable', message: 'the database does not answer' } },
  }

  it('is told calmly; what was there stays, and is up to date when it is back', async () => {
    const page = await openWith('/tasks', async () => undefined)
    await page.getByRole('link', { name: 'Runs there' }).waitFor()
    await page.route(/\/v1\/(?!stream)/, (route) => route.fulfill(away))
    // What the page asks for next is not answered.
    await page.getByLabel('State').selectOption('done')
    await banner(page).waitFor()
    await page.getByRole('link', { name: 'Runs there' }).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(await seriousFindings(page)).toEqual([])
    const { client, cwd } = stage.service
    await client.tasks.start({ prompt: 'x', cwd, title: 'Started meanwhile' })
    await page.unrouteAll({ behavior: 'wait' })
    await banner(page).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Started meanwhile' }).waitFor()
  })
})

describe('a database that does not answer when the page is opened', () => {
  it('is told as that, though streams are refused too, and the page fills once it is back', async () => {
    const error = { code: 'database-unreachable', message: 'the database cannot be reached' }
    const page = await openWith('/tasks', (each) =>
      each.route('**/v1/**', (route) => route.fulfill({ status: 503, json: { error } })),
    )
    await page.getByRole('status').filter({ hasText: 'The database does not answer' }).waitFor()
    expect(await page.getByText('The service cannot be reached').count()).toBe(0)
    await page.unrouteAll({ behavior: 'wait' })
    await page.getByRole('link', { name: 'Runs there' }).waitFor()
    await page.getByRole('status').waitFor({ state: 'detached' })
  })
})

describe('every screen of a fleet', () => {
  it.each(['/system', '/new'])('has no serious finding of axe, light or dark: %s', async (address) => {
    const page = await openWith(address, (each) => showWorkers(each, FLEET), { colorScheme: 'light' })
    await page.getByText('build-2').first().waitFor({ state: 'attached' })
    expect(await seriousFindings(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.locator('html[data-theme="dark"]').waitFor()
    expect(await seriousFindings(page)).toEqual([])
  })

  it('has no serious finding of axe: the question before a worker is drained', async () => {
    const page = await openWith('/system', (each) => showWorkers(each, FLEET))
    await page.getByRole('button', { name: 'Drain build-2' }).click()
    await page.getByRole('dialog').waitFor()
    expect(await seriousFindings(page)).toEqual([])
  })

  it.each(['/system', '/new'])('fits a phone of 380 pixels: %s', async (address) => {
    const page = await openWith(address, (each) => showWorkers(each, FLEET), PHONE)
    await page.getByText('build-2').first().waitFor({ state: 'attached' })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(380)
  })
})
