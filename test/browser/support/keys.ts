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

/** Types at this pace by the page's own clock, which must be stopped: a busy machine cannot put pauses between the keys. */
export async function typeAtPace(page: Page, text: string, everyMs: number): Promise<void> {
  for (const key of text) {
    await page.keyboard.press(key === ' ' ? 'Space' : key)
    await page.clock.runFor(everyMs)
  }
}

/** Loads the page with a clock of its own, which goes on until it is stopped. */
export async function reloadWithClock(page: Page): Promise<{ stop: () => Promise<void> }> {
  await page.clock.install()
  await page.reload()
  // Stopping is a jump ahead: as far as it takes for the machine to get there.
  return { stop: async () => page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + 1_000) }
}
