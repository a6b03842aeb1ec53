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
