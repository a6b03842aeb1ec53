import type { Client, QueryConfig } from 'pg'
import { noteLostConnection } from '../trouble.ts'
import { storable } from './values.ts'

type Connected = (error?: Error) => void

/** pg's client, with every value made storable, and without a connection left open that failed half-way. */
export function storeClient(Base: typeof Client): typeof Client {
  class StoreClient extends Base {
    // biome-ignore lint/suspicious/noExplicitAny: pg's own overloads, of which this changes nothing
    override query(text: string | QueryConfig, values?: any, ...rest: any[]): any {
      const given: unknown = Array.isArray(values) ? storable(values) : values
      const asked = (super.query as (...words: unknown[]) => unknown).call(this, text, given, ...rest)
      return asked instanceof Promise ? asked.catch((error: unknown) => this.#failed(error)) : asked
    }

    #failed(error: unknown): never {
      if ((this as unknown as HasStream).connection.stream.destroyed) noteLostConnection(error)
      throw error
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
  readonly connection: { readonly stream: { readonly destroyed: boolean; destroy(): void } }
}
