import { InProcessQueue } from './in-process-queue.ts'
import type { Queue, QueueOptions } from './queue.ts'

/** The queue of a store. `url` is that of its PostgreSQL; null: the store is a file, and pg-boss is not loaded. */
export async function openQueue({
  url,
  ...options
}: QueueOptions & { readonly url: string | null }): Promise<Queue> {
  if (url === null) return new InProcessQueue(options)
  const { openPgBossQueue } = await import('./pg-boss-queue.ts')
  return openPgBossQueue(url, options)
}
