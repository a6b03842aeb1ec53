import { setTimeout as delay } from 'node:timers/promises'
import { reapOrphans } from '../reap-orphans.ts'

/** A start waits this long for orphans to go; stubborn ones are ended while it goes on. */
const PATIENCE_MS = 250

const reaps = new Map<string, Promise<unknown>>()

/** Reaps what earlier Drawbridges left in this registry, once in the life of this process. Never rejects. */
export async function reapOnce(registryDir: string): Promise<void> {
  if (reaps.has(registryDir)) return
  // Orphans we could not end must not keep a new app-server from starting; their records stay for the next try.
  const reap = reapOrphans(registryDir).catch(() => [])
  reaps.set(registryDir, reap)
  await Promise.race([reap, delay(PATIENCE_MS, undefined, { ref: false })])
}
