// How long the browser took from one frame to the next.
import type { Page } from 'playwright-core'

/** Counts from now on, in milliseconds; what is returned ends it and tells. */
export async function watchFrames(page: Page): Promise<() => Promise<number[]>> {
  await page.evaluate(`(() => {
    const taken = (window.taken = [])
    let last = performance.now()
    const next = (now) => {
      if (window.taken !== taken) return
      taken.push(now - last)
      last = now
      requestAnimationFrame(next)
    }
    requestAnimationFrame(next)
  })()`)
  return () => page.evaluate('(() => { const { taken } = window; window.taken = null; return taken })()')
}

/** The value that this share of all is not above. */
export function atShare(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
}

export function framesText(taken: readonly number[]): string {
  const [median, most, worst] = [0.5, 0.95, 1].map((share) => atShare(taken, share).toFixed(0))
  return `${taken.length} frames, median ${median} ms, 95 % ${most} ms, worst ${worst} ms`
}
