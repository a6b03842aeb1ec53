import type { Client, QueryConfig } from 'pg'
import { noteLostConnection } from '../trouble.ts'
import { storable } from './values.ts'

type Connected = (error?: Error) => void

/**
 * pg's client, with every value made storable, an end to waiting for a server that says nothing, and without a
 * connection left open that failed half-way. `replyTimeoutMs`: 0 is for ever.
 */
export function storeClient(
  Base: typeof Client,
  { replyTimeoutMs }: { replyTimeoutMs: number },
): typeof Client {
  class StoreClient extends Base {
    // biome-ignore lint/suspicious/noExplicitAny: pg's own overloads, of which this changes nothing
    override query(text: string | QueryConfig, values?: any, ...rest: any[]): any {
      const given: unknown = Array.isArray(values) ? storable(values) : values
      const reply = (super.query as (...words: unknown[]) => unknown).call(this, text, given, ...rest)
      if (!(reply instanceof Promise)) return reply
      if (replyTimeoutMs > 0) this.#endUnless(reply)
      return reply.catch((error: unknown) => this.#failed(error))
    }

    #failed(error: unknown): never {
      if ((this as unknown as HasStream).connection.stream.destroyed) noteLostConnection(error)
      throw error
    }

    /** pg's own `query_timeout` leaves the connection as it is, and everything after the query waits for its reply. */
    #endUnless(reply: Promise<unknown>): void {
      const { stream } = (this as unknown as HasStream).connection
      // The error is made when it is needed: its stack would cost more than the rest of this function, with every query.
      const end = () => stream.destroy(new Error(`the database did not answer for ${replyTimeoutMs} ms`))
      const timer = setTimeout(end, replyTimeoutMs)
      const answered = () => clearTimeout(timer)
      reply.then(answered, answered)
    }

    /**
     * When it refuses what the server asks of it (pg 8.23: no password), pg forgets the socket. The server keeps
     * its side for a minute, and whoever drops a database waits for that.
     */
    // biome-ignore lint/suspicious/noExplicitAny: as above
    override connect(done?: any): any {
      if (!done)
        return new Promise((resolve, reject) =>
          this.connect((error?: Error) => (error ? reject(error) : resolve(this))),
        )
      return super.connect(((error?: Error) => {
        if (error) (this as unknown as HasStream).connection.stream.destroy()
        ;(done as Connected)(error)
      }) as Connected)
    }
  }
  return StoreClient
}

export interface HasStream {
  readonly connection: { readonly stream: { readonly destroyed: boolean; destroy(error?: Error): void } }
}
