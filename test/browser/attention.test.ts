// A question for somebody who looks elsewhere: the browser tells them, if they wanted that.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { lastUserText, type ModelRequest, message, shell, toolOutputs } from '../../src/testing/index.ts'
import { press } from './support/keys.ts'
import { consoleStage } from './support/open-console.ts'

const stage = consoleStage(
  (request: ModelRequest) =>
    toolOutputs(request).length === 0
      ? shell(lastUserText(request), { escalate: 'please' })
      : message('done'),
  { isWhole: true },
)

/** A headless browser has nowhere to show a notification or a badge: what it was told to show is kept instead. */
const RECORDER = `(() => {
  window.shown = []
  window.badges = []
  const Real = Notification
  window.Notification = class extends EventTarget {
    static get permission() { return Real.permission }
    static requestPermission() { return (window.permission = Real.requestPermission()) }
    onclick = null
    constructor(title, options) { super(); window.shown.push({ title, ...options, press: () => this.onclick?.() }) }
  }
  navigator.setAppBadge = async (count) => void window.badges.push(count)
})()`

/** A page on this address; `look` turns the eyes to it and away from it. */
async function open(address: string, permissions: string[]) {
  const page = await stage.open('/favicon.svg', { permissions })
  await page.addInitScript(RECORDER)
  await page.goto(stage.service.url + address)
  const look = (state: 'visible' | 'hidden') =>
    page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))`)
  const shown = () => page.evaluate('shown.map(({ title, body, tag }) => ({ title, body, tag }))')
  return { page, look, shown }
}

async function ask(command: string) {
  const { client, cwd } = stage.service
  const { id } = await client.tasks.start({ prompt: command, cwd, title: `Task ${command}` })
  await client.tasks.wait(id, { timeoutMs: 30_000 })
  const [approval] = (await client.approvals({ taskId: id, status: 'pending' })).items
  return { id: approval!.id, deny: () => client.answer(approval!.id, { answer: 'deny' }) }
}

/** It is under the eyes, and it is what the keys are for. */
async function isChosen(page: Page, text: string): Promise<void> {
  const card = page.getByRole('article').filter({ hasText: text })
  await card.and(page.locator(':focus')).waitFor()
  await press(page, 'd', page.getByText('Denied by'))
  await card.getByText('Denied by').waitFor()
}

const badge = (page: Page) => page.evaluate('badges.at(-1)')

describe('a question', () => {
  it('is told by a notification to who wanted that and looks elsewhere, and leads to it', async () => {
    const first = await ask('echo first')
    const { page, look, shown } = await open('/inbox', ['notifications'])
    await page.getByRole('button', { name: 'Notify me here' }).click()
    await page.getByRole('button', { name: 'Notifications are on' }).waitFor()
    // Neither what was there before, nor what comes under somebody's eyes.
    const seen = await ask('echo seen')
    await page.getByRole('article').filter({ hasText: 'echo seen' }).waitFor()
    await look('hidden')
    const unseen = await ask('echo unseen')
    await expect.poll(shown).toMatchObject([{ title: 'Codex asks', tag: unseen.id }])
    expect(await shown()).toMatchObject([{ body: expect.stringContaining('echo unseen') }])
    await look('visible')
    await page.evaluate('shown[0].press()')
    await isChosen(page, 'echo unseen')
    await Promise.all([first.deny(), seen.deny()])
  })

  it('leads to the inbox from any other page', async () => {
    const { page, look, shown } = await open('/inbox', ['notifications'])
    await page.getByRole('button', { name: 'Notify me here' }).click()
    await page.getByRole('link', { name: 'Tasks' }).click()
    await page.getByRole('heading', { name: 'Tasks' }).waitFor()
    await look('hidden')
    const other = await ask('echo one')
    await ask('echo two')
    await expect.poll(shown).toHaveLength(2)
    await page.evaluate('shown[1].press()')
    await isChosen(page, 'echo two')
    await other.deny()
  })

  it('is counted on the badge and in the title, wanted or not; nothing else is done unasked', async () => {
    const { page, look, shown } = await open('/tasks', ['notifications'])
    await page.getByRole('heading', { name: 'Tasks' }).waitFor()
    await look('hidden')
    const asked = await ask('echo counted')
    await expect.poll(() => page.title()).toBe('(1) Tasks · Drawbridge')
    await expect.poll(() => badge(page)).toBe(1)
    expect(await shown()).toEqual([])
    await asked.deny()
    await expect.poll(() => page.title()).toBe('Tasks · Drawbridge')
    await expect.poll(() => badge(page)).toBe(0)
  })

  it('is not promised to somebody whose browser refuses', async () => {
    const { page } = await open('/inbox', [])
    await page.getByRole('button', { name: 'Notify me here' }).click()
    expect(await page.evaluate('permission')).toBe('denied')
    expect(await page.getByRole('button', { name: 'Notifications are on' }).count()).toBe(0)
  })
})
