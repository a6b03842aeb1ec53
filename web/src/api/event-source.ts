// A stream of events that goes on after whatever happens to the connection, from where it was.
import type { EventEnvelope } from './contract.ts'

export type StreamState = 'connecting' | 'live' | 'lost'

export interface StreamOptions {
  /** The address to go on from: sequences of what was already given are left out by the service. */
  readonly address: () => string
  readonly onEvent: (envelope: EventEnvelope) => void
  readonly onState: (state: StreamState) => void
  /** The service refused: ask it why with a plain request. */
  readonly onRefused?: () => void
}

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 15_000

/** How each open stream is told to try again now. */
const streams = new Set<() => void>()

/** What refused streams is over: those that wait for their next try do it now. */
export function reconnectStreams(): void {
  for (const tryNow of streams) tryNow()
}

/** Opens it; what is returned closes it. The browser's own reconnection is not used: it cannot tell a refusal. */
export function openStream({ address, onEvent, onState, onRefused }: StreamOptions): () => void {
  let source: EventSource | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let attempts = 0
  let isClosed = false

  const connect = () => {
    clearTimeout(timer)
    source?.close()
    if (isClosed) return
    onState('connecting')
    source = new EventSource(address())
    source.onopen = () => {
      attempts = 0
      onState('live')
    }
    source.onmessage = (message: MessageEvent<string>) => onEvent(JSON.parse(message.data) as EventEnvelope)
    source.onerror = () => {
      const isRefused = source?.readyState === EventSource.CLOSED
      source?.close()
      onState('lost')
      if (isRefused) onRefused?.()
      attempts += 1
      timer = setTimeout(connect, waitMs(attempts))
    }
  }
  const now = () => {
    if (source?.readyState !== EventSource.OPEN) connect()
  }
  addEventListener('online', now)
  streams.add(now)
  connect()
  return () => {
    isClosed = true
    removeEventListener('online', now)
    streams.delete(now)
    clearTimeout(timer)
    source?.close()
  }
}

function waitMs(attempts: number): number {
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempts - 1))
  return longest / 2 + Math.random() * (longest / 2)
}
