// Visits to the console with a real browser, each in a profile of its own that has been let in.
import type { Page } from 'playwright-core'
import type { ServedApi } from '../src/api/index.ts'
import { openChromium } from '../test/browser/support/chromium.ts'

export interface Visit extends AsyncDisposable {
  readonly page: Page
}

export interface Visits {
  /** Without an address, an empty page. */
  open(address?: string): Promise<Visit>
  end(): Promise<void>
}

export async function openVisits(api: ServedApi): Promise<Visits> {
  const browser = await openChromium()
  const first = await browser.newContext()
  await (await first.newPage()).goto((await api.makeLoginLink()).url)
  const cookies = await first.cookies()
  await first.close()
  return {
    open: async (address) => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
      await context.addCookies(cookies)
      const page = await context.newPage()
      if (address !== undefined) await page.goto(address)
      return { page, [Symbol.asyncDispose]: () => context.close() }
    },
    end: () => browser.close(),
  }
}
