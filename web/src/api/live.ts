// Keeps the lists of the page true while it is open.
import type { QueryClient } from '@tanstack/react-query'
import { setConnection } from './connection.ts'
import { openStream } from './event-source.ts'
import { patchCache, staleKeys } from './patch-cache.ts'

const GATHER_MS = 250

/** Opens the stream of all tasks; what is returned closes it. After each new connection every list is asked for again. */
export function followAll(client: QueryClient): () => void {
  const stale = new Map<string, readonly unknown[]>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const refresh = () => {
    timer = undefined
    const queryKeys = [...stale.values()]
    stale.clear()
    for (const queryKey of queryKeys) void client.invalidateQueries({ queryKey })
  }
  const close = openStream({
    address: () => '/v1/stream',
    onEvent: (envelope) => {
      patchCache(client, envelope)
      for (const key of staleKeys(envelope)) stale.set(JSON.stringify(key), key)
      timer ??= setTimeout(refresh, GATHER_MS)
    },
    onState: (state) => {
      setConnection({ state })
      if (state === 'live') void client.invalidateQueries()
    },
    onRefused: () => void client.invalidateQueries({ queryKey: ['status'] }),
  })
  return () => {
    clearTimeout(timer)
    close()
  }
}
