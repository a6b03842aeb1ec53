// Whether what is on the page is what the service knows now.
import { useSyncExternalStore } from 'react'

export interface Connection {
  readonly state: 'connecting' | 'live' | 'lost'
  /** When it was last known to be true. */
  readonly liveAt: number | null
  /** The service does not know this browser. */
  readonly isUnauthorized: boolean
  /** The service answers, its database does not. */
  readonly isDatabaseAway: boolean
}

let current: Connection = {
  state: 'connecting',
  liveAt: null,
  isUnauthorized: false,
  isDatabaseAway: false,
}
const listeners = new Set<() => void>()

/** Whether that was news. */
export function setConnection(change: Partial<Connection>): boolean {
  const isNews = Object.entries(change).some(([name, value]) => current[name as keyof Connection] !== value)
  if (!isNews) return false
  const wasLive = current.state === 'live'
  current = { ...current, ...change }
  if (wasLive && current.state !== 'live') current = { ...current, liveAt: Date.now() }
  for (const listener of listeners) listener()
  return true
}

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, () => current)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
