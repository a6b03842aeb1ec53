import type { WebSocket } from 'ws'
import { type Channel, type ChannelReader, TransportClosedError } from '../codex/index.ts'
import { ReaderSlot } from './reader-slot.ts'
import { refuseLineBreaks } from './refuse-line-breaks.ts'

/** The other side has this long to answer our close before the socket is cut. */
const CLOSE_MS = 500

/** One text frame is one line. Takes over an open, paused socket. */
export class WebSocketChannel implements Channel {
  readonly #socket: WebSocket
  readonly #slot = new ReaderSlot()
  /** Resolves when the socket is gone. */
  readonly ended: Promise<void>

  constructor(socket: WebSocket, options: { name: string; maxLineBytes: number }) {
    this.#socket = socket
    const { promise, resolve } = Promise.withResolvers<void>()
    this.ended = promise
    let failure: Error | undefined
    socket.on('error', (error) => {
      failure = error // 'close' follows
    })
    socket.on('message', (frame: Buffer) => {
      if (frame.length > options.maxLineBytes) this.#slot.oversize(frame.length)
      else if (frame.length > 0) this.#slot.line(frame.toString('utf8'))
    })
    socket.on('close', (code, reason) => {
      const detail = reason.length > 0 ? `${code}: ${reason.toString('utf8')}` : `${code}`
      const message = `the connection to the app-server at ${options.name} closed (${detail})`
      this.#slot.closed(new TransportClosedError(message, { cause: failure }))
      resolve()
    })
  }

  read(reader: ChannelReader): void {
    this.#slot.fill(reader)
    this.#socket.resume()
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
}
