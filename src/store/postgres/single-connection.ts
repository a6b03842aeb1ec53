// One connection outside of any pool, for what lasts as long as the connection does.
import type { PoolOptions } from './pool-options.ts'
import { connectionConfig } from './raw-pool.ts'
import { type HasStream, storeClient } from './store-client.ts'

export interface SingleConnection {
  /** Rejects at the deadline, and for ever after the connection has ended. One at a time. */
  query(text: string): Promise<void>
  onNotification(listener: (channel: string, payload: string) => void): void
  /** Resolves when the connection has ended, for whatever reason. */
  readonly ended: Promise<void>
  /** Ends it at once, without a word to the server, which may be unreachable. */
  destroy(): void
}

export async function connectOnce(options: Omit<PoolOptions, 'poolSize'>): Promise<SingleConnection> {
  const { Client } = await import('pg')
  const StoreClient = storeClient(Client, options)
  const client = new StoreClient(await connectionConfig(options))
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  client.on('error', () => end())
  client.on('end', () => end())
  await client.connect()
  return {
    query: async (text) => void (await client.query(text)),
    onNotification: (listener) =>
      void client.on('notification', ({ channel, payload }) => listener(channel, payload ?? '')),
    ended,
    destroy() {
      ;(client as unknown as HasStream).connection.stream.destroy()
      end()
    },
  }
}
