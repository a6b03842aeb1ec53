// LISTEN on a connection of its own, which is made again whenever it is lost. It never has an open transaction: one
// that stays open keeps the server from clearing its queue of notifications.
import { setTimeout as sleep } from 'node:timers/promises'
import { backoffMs } from '../../util/backoff.ts'
import type { SingleConnection } from '../postgres/single-connection.ts'

export interface ListeningOptions {
  readonly channel: string
  connect(): Promise<SingleConnection>
  /** Nobody else listens there. */
  readonly ownChannel: string
  /** Sends an empty text there, on another connection than the one that listens. */
  notify(channel: string): Promise<unknown>
  readonly pingMs: number
  readonly reconnect: { readonly baseMs: number; readonly maxMs: number }
  onText(text: string): void
  /** It listens, and did not before. */
  onConnected(): void
}

export class Listening {
  readonly #options: ListeningOptions
  readonly #closing = new AbortController()
  readonly #done: Promise<void>
  #connection: SingleConnection | null = null
  #echo: 'none' | 'being sent' | 'awaited' = 'none'
  #hasEcho = false

  constructor(options: ListeningOptions) {
    this.#options = options
    this.#done = this.#run()
  }

  get isListening(): boolean {
    return this.#hasEcho
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#connection?.destroy()
    await this.#done
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing
    for (let attempt = 0; !signal.aborted; attempt++) {
      const begun = performance.now()
      await this.#listen().catch(() => {})
      this.#hasEcho = false
      this.#connection?.destroy()
      this.#connection = null
      // A connection that lasted was a good one; one that is lost at once must not be made again and again.
      if (performance.now() - begun > this.#options.reconnect.maxMs) attempt = 0
      const waitMs = backoffMs(attempt, { ...this.#options.reconnect, random: Math.random })
      await sleep(waitMs, undefined, { signal }).catch(() => {})
    }
  }

  /** Resolves or rejects when the connection is lost. */
  async #listen(): Promise<void> {
    const { channel, ownChannel, connect, onText, onConnected } = this.#options
    const connection = await unlessAborted(connect(), this.#closing.signal)
    this.#connection = connection
    connection.onNotification((to, text) => (to === channel ? onText(text) : this.#onEcho()))
    await connection.query(`listen ${channel}; listen ${ownChannel}`)
    onConnected()
    await Promise.race([connection.ended, this.#ping(connection)])
  }

  /** Keeps asking: a connection whose other end is gone stays silent for ever. Rejects when there is no answer. */
  async #ping(connection: SingleConnection): Promise<never> {
    for (;;) {
      this.#prove()
      await sleep(this.#options.pingMs, undefined, { signal: this.#closing.signal })
      await connection.query('select 1')
      if (this.#echo === 'awaited') this.#hasEcho = false
    }
  }

  /** LISTEN can succeed and never hear anything, e.g. through PgBouncer in transaction mode. */
  #prove(): void {
    if (this.#echo === 'being sent') return
    this.#echo = 'being sent'
    this.#options.notify(this.#options.ownChannel).then(
      // It may have arrived already.
      () => (this.#echo = this.#echo === 'being sent' ? 'awaited' : this.#echo),
      () => (this.#echo = 'none'),
    )
  }

  #onEcho(): void {
    this.#echo = 'none'
    this.#hasEcho = true
  }
}

/** Does not wait for a connection that nobody wants any more. */
async function unlessAborted(
  connecting: Promise<SingleConnection>,
  signal: AbortSignal,
): Promise<SingleConnection> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => {
    reject(signal.reason)
    connecting.then((connection) => connection.destroy()).catch(() => {})
  }
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([connecting, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
