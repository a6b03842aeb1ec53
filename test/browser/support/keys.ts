import { errors, type Locator, type Page } from 'playwright-core'

/** Longer than a question has to be under the eyes before a key answers it. */
const AGAIN_MS = 700

/**
 * Presses these keys until this is there. Again after a while: on a busy machine the second key of a sequence can come
 * too late, and a key can come before a question could have been read.
 */
export async function press(page: Page, keys: string, until: Locator): Promise<void> {
  for (;;) {
    for (const key of keys.split(' ')) await page.keyboard.press(key)
    try {
      return await until.waitFor({ timeout: AGAIN_MS })
    } catch (error) {
      if (!(error instanceof errors.TimeoutError)) throw error
    }
  }
}

/** Types at this pace by the page's own clock, which is stopped: a busy machine cannot put pauses between the keys. */
export async function typeAtPace(page: Page, text: string, everyMs: number): Promise<void> {
  for (const key of text) {
    await page.keyboard.press(key === ' ' ? 'Space' : key)
    await page.clock.runFor(everyMs)
  }
}

/** From here on time passes on the page when the test says so. Its clock must have been installed before it was loaded. */
export async function stopClock(page: Page): Promise<void> {
  // Stopping is a jump ahead: farther than the slowest machine takes to get there.
  await page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + 10_000)
}
