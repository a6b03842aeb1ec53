// The console as a person has it: the built page, the real service, a real browser.
import { readFileSync } from 'node:fs'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import type { ModelScript } from '../../../src/testing/index.ts'
import { type ChromiumOptions, openChromium } from './chromium.ts'
import { type RunningService, type ServiceOptions, startService } from './running-service.ts'

export interface Console {
  readonly service: RunningService
  /** A page of its own browser profile, already let in. */
  open(address: string, options?: BrowserContextOptions): Promise<Page>
  /** One that is not. */
  openStranger(address: string): Promise<Page>
}

/** Long for a fact that is sure to come on a busy machine; short enough to say what it was. */
const PATIENCE_MS = 30_000

/** Starts one for the tests of a file; pages end with their test. What a page complained of fails the file. */
export function consoleStage(
  script: ModelScript,
  { isWhole, ...options }: ServiceOptions & ChromiumOptions = {},
): Console {
  let service: RunningService
  let browser: Browser
  let cookies: Awaited<ReturnType<BrowserContext['cookies']>>
  let pages: Page[] = []
  const complaints: string[] = []

  beforeAll(async () => {
    ;[service, browser] = await Promise.all([startService(script, options), openChromium({ isWhole })])
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(service.loginLink)
    cookies = await context.cookies()
    await context.close()
  })
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') console.error(await lookedLike(pages), service.told())
    await Promise.all(pages.map(closed))
    pages = []
  })
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
    expect(complaints).toEqual([])
  })

  async function newPage(contextOptions: BrowserContextOptions = {}) {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      // A dot that breathes is drawn sixty times a second, by the processor.
      reducedMotion: 'reduce',
      ...contextOptions,
    })
    const page = await context.newPage()
    pages.push(page)
    page.setDefaultTimeout(PATIENCE_MS)
    page.on('pageerror', (error) => complaints.push(error.message))
    // The browser says so on the console when the policy of the page stopped something.
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) complaints.push(message.text())
    })
    return { context, page }
  }
  return {
    get service() {
      return service
    },
    open: async (address, contextOptions) => {
      const { context, page } = await newPage(contextOptions)
      await context.addCookies(cookies)
      await page.goto(service.url + address)
      return page
    },
    openStranger: async (address) => {
      const { page } = await newPage()
      await page.goto(service.url + address)
      return page
    },
  }
}

/** A request that the test answers itself may be on its way: it ends with the page, and nobody is told. */
async function closed(page: Page): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.context().close()
}

async function lookedLike(pages: readonly Page[]): Promise<string> {
  const looks = pages.map(async (page) => {
    const text = await page.evaluate('document.body.innerText').catch(String)
    return `${page.url()}\n${String(text).slice(0, 4000)}`
  })
  return (await Promise.all(looks)).join('\n\n')
}

const AXE = readFileSync('node_modules/axe-core/axe.min.js', 'utf8')

interface Finding {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/** What axe finds serious or worse, WCAG 2.2 AA. Evaluated through the debugger: the page's policy allows no foreign script. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(AXE)
  // A colour that is on its way to another is not judged.
  await page.evaluate(`Promise.all(
    document.getAnimations().map((one) => {
      const isEndless = one.effect.getTiming().iterations === Infinity
      return isEndless || one.finished.catch(() => {})
    }),
  )`)
  const { passes, violations } = (await page.evaluate(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'], resultTypes: ['violations'] })`,
  )) as { passes: Finding[]; violations: Finding[] }
  // It has looked at something.
  expect(passes.length).toBeGreaterThan(10)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary ?? ''}`),
    )
}
