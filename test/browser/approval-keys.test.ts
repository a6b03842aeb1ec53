// Keys answer the card that has the focus and was seen whole, and no other: every way to be tricked that we know.
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import {
  applyPatch,
  lastUserText,
  type ModelRequest,
  message,
  shell,
  toolOutputs,
} from '../../src/testing/index.ts'
import { press, stopClock, typeAtPace } from './support/keys.ts'
import { consoleStage } from './support/open-console.ts'

const LINES = Array.from({ length: 200 }, (_, index) => `+line ${index} of the new file`)
const LONG = ['*** Begin Patch', '*** Add File: long.txt', ...LINES, '*** End Patch'].join('\n')

function script(request: ModelRequest) {
  if (toolOutputs(request).length > 0) return message('done')
  const said = lastUserText(request)
  return said === 'long' ? applyPatch(LONG) : shell(said, { escalate: `because of ${said}` })
}

const stage = consoleStage(script)

async function ask(prompt: string) {
  const { client, cwd } = stage.service
  const { id } = await client.tasks.start({ prompt, cwd, title: `Task ${prompt}` })
  await client.tasks.wait(id, { timeoutMs: 30_000 })
  const [approval] = (await client.approvals({ taskId: id, status: 'pending' })).items
  return {
    id,
    approvalId: approval!.id,
    status: async () => (await client.approval(approval!.id)).status,
    ended: () => client.tasks.wait(id, { through: true, timeoutMs: 30_000 }),
    made: (name: string) => existsSync(path.join(cwd, name)),
  }
}

const cardOf = (page: Page, text: string): Locator => page.getByRole('article').filter({ hasText: text })
/** Gives it the focus where all of it is on the screen. */
const focusOn = (page: Page, id: string) =>
  page.evaluate(`(() => {
    const card = document.getElementById('${id}')
    card.focus()
    card.scrollIntoView({ block: 'center' })
  })()`)
const ready = (card: Locator) => card.getByText(', key a').waitFor({ state: 'attached' })

/** Small enough that two cards are not on the screen together. */
const SMALL = { viewport: { width: 1000, height: 590 } }

/** On a page of its own, with a clock that can be stopped. */
async function openWithClock(id: string): Promise<{ page: Page; card: Locator }> {
  const page = await stage.open('/inbox', SMALL)
  await page.clock.install()
  await page.reload()
  const card = page.locator(`[id="${id}"]`)
  await card.waitFor()
  return { page, card }
}

const TRICKS: readonly [string, (page: Page, card: Locator, id: string) => Promise<void>][] = [
  ['letters are typed at the page', (page) => page.keyboard.type('a d a', { delay: 300 })],
  [
    'it is out of sight',
    async (page, card, id) => {
      await focusOn(page, id)
      await ready(card)
      await page.mouse.move(500, 300)
      await page.mouse.wheel(0, 2000)
      await card.getByText(', key a').waitFor({ state: 'detached' })
      await page.keyboard.press('a')
    },
  ],
  [
    'a button of it has the focus and is out of sight',
    async (page, card) => {
      const button = card.getByRole('button', { name: 'Allow once' })
      await button.focus()
      await page.mouse.move(500, 300)
      const bottomAfterScroll = async () => {
        await page.mouse.wheel(0, 2000)
        const box = await button.boundingBox()
        return box!.y + box!.height
      }
      await expect.poll(bottomAfterScroll).toBeLessThan(0)
      await page.keyboard.press('Enter')
      await page.keyboard.press(' ')
    },
  ],
  [
    'a modifier is held',
    async (page, card, id) => {
      await focusOn(page, id)
      await ready(card)
      for (const keys of ['Control+a', 'Alt+a', 'Meta+a', 'Shift+A', 'Control+d'])
        await page.keyboard.press(keys)
    },
  ],
  [
    'the key was held before it had the focus',
    async (page, card, id) => {
      await page.keyboard.down('a')
      await focusOn(page, id)
      await ready(card)
      for (let count = 0; count < 20; count++) await page.keyboard.down('a')
      await page.keyboard.up('a')
    },
  ],
  [
    'words are typed while it has the focus',
    async (_page, _card, id) => {
      const { page, card } = await openWithClock(id)
      await focusOn(page, id)
      await ready(card)
      await stopClock(page)
      await typeAtPace(page, 'add a dead end and', 40)
      await page.clock.runFor(1_000)
    },
  ],
  [
    'the reason is typed into its field',
    async (page, card, _id) => {
      await card.getByLabel('Why').focus()
      await page.keyboard.type('a d', { delay: 300 })
    },
  ],
  [
    'a dialog lies over it',
    async (page, card, id) => {
      await focusOn(page, id)
      await ready(card)
      await page.keyboard.press('?')
      await page.getByRole('dialog').waitFor()
      await page.keyboard.press('a')
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    },
  ],
  [
    'something lies over it that the focus does not know of',
    async (page, card, id) => {
      await focusOn(page, id)
      await ready(card)
      await page.evaluate(
        `document.body.insertAdjacentHTML('beforeend', '<div id="over" class="fixed inset-0 z-50 bg-panel"></div>')`,
      )
      await page.keyboard.press('a')
      await card.getByText(', key a').waitFor({ state: 'detached' })
      await page.evaluate(`document.getElementById('over').remove()`)
    },
  ],
  [
    'it has only just got the focus',
    async (_page, _card, id) => {
      const { page } = await openWithClock(id)
      await stopClock(page)
      await focusOn(page, id)
      await page.clock.runFor(400)
      await page.keyboard.press('a')
      await page.clock.runFor(1_000)
    },
  ],
  [
    'the window is too small for its answers',
    async (page, card, _id) => {
      await page.setViewportSize({ width: 1000, height: 150 })
      await card.focus()
      await card.getByText('scroll through all of it').waitFor()
      await page.keyboard.press('a')
      await page.setViewportSize(SMALL.viewport)
    },
  ],
  [
    'the page is zoomed until it does not fit',
    async (page, card, _id) => {
      await page.evaluate(`document.documentElement.style.zoom = '300%'`)
      await card.focus()
      await card.getByText('scroll through all of it').waitFor()
      await page.keyboard.press('a')
      await page.evaluate(`document.documentElement.style.zoom = ''`)
    },
  ],
]

describe('no key answers a question when', () => {
  it.each(TRICKS)('%s', async (name, trick) => {
    const number = TRICKS.findIndex(([other]) => other === name)
    const victim = await ask(`touch victim-${number}`)
    const other = await ask(`touch other-${number}`)
    const page = await stage.open('/inbox', SMALL)
    await cardOf(page, `other-${number}`).waitFor()
    await trick(page, cardOf(page, `victim-${number}`), victim.approvalId)
    // By the time a key has answered the other card, one that was to answer this card has done so.
    const next = cardOf(page, `other-${number}`)
    await focusOn(page, other.approvalId)
    await press(page, 'd', next.getByText('Denied by'))
    expect([await victim.status(), await other.status()]).toEqual(['pending', 'answered'])
    await stage.service.client.answer(victim.approvalId, { answer: 'deny' })
    await Promise.all([victim.ended(), other.ended()])
    expect([`victim-${number}`, `other-${number}`].map(victim.made)).toEqual([false, false])
  })
})

describe('of two questions', () => {
  it('the one that was clicked into is answered, and it shows', async () => {
    const [first, second] = [await ask('touch first'), await ask('touch second')]
    const page = await stage.open('/inbox', { viewport: { width: 1000, height: 1400 } })
    const card = cardOf(page, 'because of touch second')
    await card.getByText('because of touch second').click()
    await ready(card)
    expect(await cardOf(page, 'because of touch first').getByText(', key a').count()).toBe(0)
    await press(page, 'a', card.getByText('Allowed once by'))
    await second.ended()
    expect([first.made('first'), second.made('second')]).toEqual([false, true])
    expect(await first.status()).toBe('pending')
    await stage.service.client.answer(first.approvalId, { answer: 'deny' })
  })

  it('the lower does not slide under the finger when the upper is answered elsewhere', async () => {
    const [upper, lower] = [await ask('touch upper'), await ask('touch lower')]
    const page = await stage.open('/inbox', { viewport: { width: 1000, height: 1400 } })
    const button = cardOf(page, 'because of touch lower').getByRole('button', { name: 'Allow once' })
    await button.click({ trial: true })
    // Presses as soon as the button is elsewhere, as a finger would that was on its way to the upper card.
    await page.evaluate(`(() => {
      const card = document.getElementById('${lower.approvalId}')
      const button = [...card.querySelectorAll('button')].find(({ textContent }) => textContent.startsWith('Allow once'))
      const before = button.getBoundingClientRect().top
      const look = () => {
        if (button.getBoundingClientRect().top === before) return requestAnimationFrame(look)
        button.click()
        window.wasPressed = true
      }
      look()
    })()`)
    await stage.service.client.answer(upper.approvalId, { answer: 'deny' })
    await expect.poll(() => page.evaluate('window.wasPressed')).toBe(true)
    // A moment later it can be pressed again.
    await button.click({ trial: true })
    expect(await lower.status()).toBe('pending')
    await cardOf(page, 'because of touch lower').getByRole('button', { name: 'Deny', exact: true }).click()
    await lower.ended()
    expect(lower.made('lower')).toBe(false)
  })
})

describe('a question that is longer than the screen', () => {
  it('is answered by a key when all of it was scrolled through, and not when it was jumped over', async () => {
    const task = await ask('long')
    const page = await stage.open(`/approvals/${task.approvalId}`, SMALL)
    const card = page.getByRole('article')
    await card.getByText('line 199 of the new file').waitFor({ state: 'attached' })
    await card.getByText('scroll through all of it').waitFor({ state: 'attached' })
    await page.mouse.move(500, 300)
    await card.getByRole('button', { name: 'Allow once' }).scrollIntoViewIfNeeded()
    await page.keyboard.press('a')
    await page.mouse.wheel(0, -20_000)
    await card.getByText('line 0 of the new file').hover()
    const end = card.getByText(', key a')
    while ((await end.count()) === 0) await page.mouse.wheel(0, 200)
    expect(await task.status()).toBe('pending')
    await press(page, 'a', card.getByText('Allowed once by'))
    await task.ended()
    expect(task.made('long.txt')).toBe(true)
  })
})
