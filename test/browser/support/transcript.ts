// The transcript of a task as somebody sees it who scrolls through it.
import type { Page } from 'playwright-core'

export interface Sight {
  /** The number of the first `message <number>` that is drawn. */
  readonly first: number | null
  readonly rows: number
}

/** Turns the wheel over it by so much, and looks when it has come to rest. */
export async function scrollTranscript(page: Page, byPx: number): Promise<Sight> {
  await page.mouse.wheel(0, byPx)
  return page.evaluate(`new Promise((resolve) => {
    const box = document.querySelector('section[aria-label="Transcript"]')
    let [top, rested] = [box.scrollTop, 0]
    const look = () => {
      rested = box.scrollTop === top ? rested + 1 : 0
      top = box.scrollTop
      if (rested < 2) return requestAnimationFrame(look)
      const first = /message (\\d+) /.exec(box.textContent)
      resolve({ first: first && Number(first[1]), rows: box.querySelectorAll('[data-index]').length })
    }
    requestAnimationFrame(look)
  })`)
}
