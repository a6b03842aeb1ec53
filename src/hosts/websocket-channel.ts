import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { type Channel, type ChannelReader, TransportClosedError } from '../codex/index.ts'
import { ReaderSlot } from './reader-slot.ts'
import { refuseLineBreaks } from './refuse-line-breaks.ts'
import { watchPulse } from './websocket-pulse.ts'

/** The other side has this long to answer our close before the socket is cut. */
const CLOSE_MS = 500
/** A side that is silent for two of these is given up. */
export const PING_EVERY_MS = 15_000

export interface WebSocketChannelOptions {
  readonly name: string
  readonly maxLineBytes: number
  readonly pingEveryMs: number
  /** Looks why the connection closed by itself, before the reader is told. */
  readonly explain?: (closed: TransportClosedError) => Promise<TransportClosedError>
}

/** One text frame is one line. Takes over an open, paused socket. */
export class WebSocketChannel implements Channel {
  readonly #socket: WebSocket
  readonly #stream: Socket
  readonly #options: WebSocketChannelOptions
  readonly #slot = new ReaderSlot()
  /** Resolves when the socket is gone. */
  readonly ended: Promise<void>
  #failure: Error | undefined
  #isSilent = false

  constructor({ socket, stream }: { socket: WebSocket; stream: Socket }, options: WebSocketChannelOptions) {
    this.#socket = socket
    this.#stream = stream
    this.#options = options
    const { promise, resolve } = Promise.withResolvers<void>()
    this.ended = promise
    socket.on('error', (error) => {
      this.#failure = error // 'close' follows
    })
    socket.on('message', (frame: Buffer) => {
      if (frame.length > options.maxLineBytes) this.#slot.oversize(frame.length)
      else if (frame.length > 0) this.#slot.line(frame.toString('utf8'))
    })
    socket.on('close', (code, reason) => {
      void this.#closed(reason.length > 0 ? `${code}: ${reason.toString('utf8')}` : `${code}`)
      resolve()
    })
  }

  /** Nothing is taken from a paused socket, so its pulse counts from here. */
  read(reader: ChannelReader): void {
    this.#slot.fill(reader)
    this.#socket.resume()
    const stop = watchPulse(this.#socket, {
      stream: this.#stream,
      everyMs: this.#options.pingEveryMs,
      onSilent: () => {
        this.#isSilent = true
        this.#socket.terminate()
      },
    })
    void this.ended.then(stop)
  }

  send(line: string): void {
    refuseLineBreaks(line)
    if (this.#slot.isClosed) return
    this.#socket.send(line, () => {}) // a failure to send ends the socket, which is told once, there
  }

  close(reason: TransportClosedError): void {
    if (this.#slot.isClosed) return
    this.#slot.closed(reason)
    this.#socket.resume()
    this.#socket.close(1000)
    const cut = setTimeout(() => this.#socket.terminate(), CLOSE_MS)
    void this.ended.then(() => clearTimeout(cut))
  }

  async #closed(detail: string): Promise<void> {
    if (this.#slot.isClosed) return
    const { name, pingEveryMs, explain } = this.#options
    const message = this.#isSilent
      ? `the app-server at ${name} has answered nothing for ${pingEveryMs} ms: its connection was cut`
      : `the connection to the app-server at ${name} closed (${detail})`
    const closed = new TransportClosedError(message, { cause: this.#failure })
    this.#slot.closed(explain ? await explain(closed) : closed)
  }
}
