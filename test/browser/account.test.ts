// Codex without a login: the console logs it in, by the real codex and OpenAI's side of it on loopback; and the doctor.
import type { Page } from 'playwright-core'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { message } from '../../src/testing/index.ts'
import { EMAIL, startLoginIssuer, USER_CODE } from '../support/login-issuer.ts'
import { consoleStage, seriousFindings } from './support/open-console.ts'

const issuer = await startLoginIssuer()
afterAll(() => issuer.close())

const card = (page: Page) => page.getByRole('region', { name: 'Login of Codex' })
const logIn = (page: Page) => card(page).getByRole('button', { name: 'Log in with ChatGPT' })
/** Of the widest thing there is, cut off or not. */
const widthOf = (page: Page) =>
  page.evaluate(
    'Math.max(...[...document.querySelectorAll("main *")].map((node) => node.getBoundingClientRect().right))',
  )
/** Every panel of the page has its data. */
const filled = (page: Page) => page.locator('main [aria-busy=false]').waitFor()
const phone = { viewport: { width: 380, height: 760 }, hasTouch: true, isMobile: true }

describe('the login card', () => {
  const stage = consoleStage(() => message('x'), { home: issuer.home, env: issuer.env })
  afterEach(async () => {
    issuer.waitAgain()
    await stage.service.client.account.logout()
  })

  it('shows the code and where to type it, in every open page, and goes when somebody has', async () => {
    const page = await stage.open('/new')
    await page.clock.install()
    await logIn(page).click()
    await card(page).getByText(USER_CODE, { exact: true }).waitFor()
    const link = card(page).getByRole('link', { name: '/codex/device' })
    expect(await link.getAttribute('href')).toBe(`${issuer.url}/codex/device`)
    expect([await link.getAttribute('target'), await link.getAttribute('rel')]).toEqual([
      '_blank',
      'noreferrer',
    ])
    const other = await stage.open('/system')
    await card(other).getByText(USER_CODE, { exact: true }).waitFor()
    issuer.authorize()
    // At the same time: each says it for a while only.
    await Promise.all(
      [page, other].map(async (one) => {
        await one.getByText(`Codex is logged in as ${EMAIL}. Tasks can run.`).waitFor()
        expect(await card(one).count()).toBe(0)
      }),
    )
    await page.clock.fastForward(10_000)
    await page.getByText('Codex is logged in').waitFor({ state: 'detached' })
  })

  it('can be used by keyboard alone: begun, the code copied, taken back', async () => {
    const page = await stage.open('/new', { permissions: ['clipboard-read', 'clipboard-write'] })
    await logIn(page).focus()
    await page.keyboard.press('Enter')
    await card(page).getByText('Waiting for you').waitFor()
    for (const name of [/codex\/device/, /Copy the code/, /Cancel/]) {
      await page.keyboard.press('Tab')
      if (name.test('Copy the code')) await page.keyboard.press('Enter')
      const focused = await page.evaluate(
        'document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent',
      )
      expect(focused).toMatch(name.test('Copy the code') ? /Copy the code|Copied/ : name)
    }
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(USER_CODE)
    await page.keyboard.press('Enter')
    await logIn(page).waitFor()
    expect(await stage.service.client.account.login()).toEqual({ status: 'none' })
  })

  it('says what failed, and the next try may do', async () => {
    const page = await stage.open('/new')
    issuer.deny()
    await logIn(page).click()
    await page.getByRole('alert').getByText('device auth failed with status 400').waitFor()
    // Whoever comes later has not seen it fail.
    const later = await stage.open('/new')
    await logIn(later).waitFor()
    expect(await later.getByRole('alert').count()).toBe(0)
    issuer.waitAgain()
    await card(page).getByRole('button', { name: 'Try again' }).click()
    await card(page).getByText(USER_CODE, { exact: true }).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  it('takes a key, which the page does not keep', async () => {
    const page = await stage.open('/new')
    await card(page).getByText('Use an API key instead').click()
    const key = card(page).getByLabel('OpenAI API key')
    expect([await key.getAttribute('type'), await key.getAttribute('autocomplete')]).toEqual([
      'password',
      'off',
    ])
    await key.fill('sk-test-0123456789abcdef')
    await card(page).getByRole('button', { name: 'Use this key' }).click()
    await page.getByText('Codex is logged in with an API key. Tasks can run.').waitFor()
    expect(await page.content()).not.toContain('sk-test')
  })

  it.each(['light', 'dark'] as const)(
    'has no serious finding of axe while it waits, %s',
    async (colorScheme) => {
      const page = await stage.open('/new', { colorScheme, reducedMotion: 'reduce' })
      await logIn(page).click()
      await card(page).getByText('Waiting for you').waitFor()
      await card(page).getByText('Use an API key instead').click()
      expect(await seriousFindings(page)).toEqual([])
    },
  )

  it('fits a phone of 380 pixels, also when OpenAI cannot be reached', async () => {
    const page = await stage.open('/new', phone)
    await logIn(page).click()
    await card(page).getByText('Waiting for you').waitFor()
    expect(await widthOf(page)).toBeLessThanOrEqual(380)
    await card(page).getByRole('button', { name: 'Cancel' }).click()
    issuer.breakDown()
    await logIn(page).click()
    await page.getByRole('alert').getByText('failed to request device code').waitFor()
    expect(await widthOf(page)).toBeLessThanOrEqual(380)
  })
})

describe('where codex refuses a login by code', () => {
  const config = { ...issuer.home.config, forced_login_method: 'api' }
  const stage = consoleStage(() => message('x'), { home: { config }, env: issuer.env })

  it('the card says so, in codex’s words, and which command may do', async () => {
    const page = await stage.open('/new')
    await logIn(page).click()
    await page.getByRole('alert').getByText('ChatGPT login is disabled').waitFor()
    await card(page).getByText('drawbridge login --key', { exact: true }).waitFor()
    expect(await logIn(page).count()).toBe(0)
  })

  describe('the doctor', () => {
    it('looks when somebody can see it, shows what failed first, and looks again when asked', async () => {
      const looks: string[] = []
      const page = await stage.open('/inbox')
      page.on('request', (request) => looks.push(new URL(request.url()).pathname))
      await page.getByRole('link', { name: 'System' }).first().click()
      const heading = page.getByRole('heading', { name: 'Doctor' })
      await filled(page)
      await card(page).waitFor()
      expect(looks).not.toContain('/v1/doctor')
      await heading.scrollIntoViewIfNeeded()
      const doctor = page.locator('section', { has: heading })
      await doctor.getByText('not logged in to OpenAI').waitFor()
      const rows = await doctor.getByRole('listitem').allInnerTexts()
      expect(rows[0]).toMatch(/^login\s+not logged in to OpenAI\s+→ run drawbridge login/)
      expect(rows.join()).toContain('a command ran in the read-only sandbox')
      expect(await doctor.getByRole('img', { name: 'failed' }).count()).toBe(1)
      await doctor.getByText('Checked').waitFor()
      const before = looks.filter((path) => path === '/v1/doctor').length
      await doctor.getByRole('button', { name: 'Check again' }).click()
      await expect.poll(() => looks.filter((path) => path === '/v1/doctor').length).toBe(before + 1)
      expect(await seriousFindings(page)).toEqual([])
    })

    it('does not look while the page above it is still being filled', async () => {
      const usage = Promise.withResolvers<void>()
      const looks: string[] = []
      const page = await stage.open('/inbox', { viewport: { width: 1280, height: 2000 } })
      page.on('request', (request) => looks.push(new URL(request.url()).pathname))
      await page.route('**/v1/usage*', async (route) => {
        await usage.promise
        await route.continue()
      })
      await page.getByRole('link', { name: 'System' }).first().click()
      await card(page).waitFor()
      await page.getByText('Nobody was told anything yet').waitFor()
      const heading = page.getByRole('heading', { name: 'Doctor' })
      await expect.poll(async () => (await heading.boundingBox())?.y).toBeLessThan(2000)
      // Frames in which an observer would have been called.
      for (let frame = 0; frame < 5; frame++) await page.evaluate('new Promise(requestAnimationFrame)')
      expect(looks).toContain('/v1/usage')
      expect(looks).not.toContain('/v1/doctor')
      usage.resolve()
      await filled(page)
      await expect.poll(() => looks).toContain('/v1/doctor')
    })

    it('fits a phone of 380 pixels', async () => {
      const page = await stage.open('/system', phone)
      await filled(page)
      const heading = page.getByRole('heading', { name: 'Doctor' })
      await heading.scrollIntoViewIfNeeded()
      const doctor = page.locator('section', { has: heading })
      await doctor.getByText('not logged in to OpenAI').waitFor()
      expect(await widthOf(page)).toBeLessThanOrEqual(380)
    })
  })
})
