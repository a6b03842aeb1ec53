import { setTimeout as delay } from 'node:timers/promises'

const FIRST_LOOK_MS = 5
const SLOWEST_LOOK_MS = 100

/** Looks until the fact holds or the time is up; says whether it holds. For facts that no event tells. */
export async function until(fact: () => boolean, timeoutMs: number): Promise<boolean> {
  const endsAt = performance.now() + timeoutMs
  for (let pauseMs = FIRST_LOOK_MS; !fact(); pauseMs = Math.min(pauseMs * 1.5, SLOWEST_LOOK_MS)) {
    const leftMs = endsAt - performance.now()
    if (leftMs <= 0) return false
    await delay(Math.min(pauseMs, leftMs))
  }
  return true
}
