// Keeps the lists of the page true while it is open.
import type { QueryClient } from '@tanstack/react-query'
import { setConnection } from './connection.ts'
import { openStream } from './event-source.ts'
import { isNewQuestion, patchCache, staleKeys } from './patch-cache.ts'
import { keys } from './queries.ts'

/** Lists are patched at once; asking for all of them again can wait a little. */
const GATHER_MS = 600

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
      if (isNewQuestion(envelope)) void client.invalidateQueries({ queryKey: keys.open })
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
