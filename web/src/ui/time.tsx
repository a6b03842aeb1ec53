import { useSyncExternalStore } from 'react'
import { ageText } from './age-text.ts'

const TICK_MS = 5_000
let now = Date.now()
const listeners = new Set<() => void>()
setInterval(() => {
  now = Date.now()
  for (const listener of listeners) listener()
}, TICK_MS)

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The time, every few seconds. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}

/** How long ago, with the exact time on hover. */
export function Ago({ at, suffix = ' ago' }: { readonly at: number; readonly suffix?: string }) {
  const text = ageText(Math.max(0, useNow() - at))
  return (
    <time
      dateTime={new Date(at).toISOString()}
      title={new Date(at).toLocaleString()}
      className="whitespace-nowrap tabular-nums"
    >
      {text === 'now' ? 'just now' : text + suffix}
    </time>
  )
}
