// A network between a client and a server on loopback that can fail: cut, freeze, lose a reply, delay a request.
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

interface Wire {
  readonly client: Socket
  readonly server: Socket
}

interface Trap {
  readonly text: string
  readonly spring: (wire: Wire, request: Buffer) => void
}

export class TcpProxy {
  readonly #listener: Server
  readonly #port: number
  readonly #wires = new Set<Wire>()
  #total = 0
  #isRefusing = false
  #isFrozen = false
  #trap: Trap | null = null

  private constructor(port: number) {
    this.#port = port
    this.#listener = createServer((client) => this.#accept(client))
  }

  static async to(port: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(port)
    proxy.#listener.listen(0, '127.0.0.1')
    await once(proxy.#listener, 'listening')
    return proxy
  }

  close(): void {
    this.cut()
    this.#listener.close()
  }

  /** How many connections there are. */
  get count(): number {
    return this.#wires.size
  }

  /** How many there have been. */
  get total(): number {
    return this.#total
  }

  /** The same address, through this. */
  through(url: string): string {
    const { port } = this.#listener.address() as { port: number }
    return Object.assign(new URL(url), { port: String(port) }).href
  }

  /** Resets every connection that stands. */
  cut(): void {
    for (const { client, server } of this.#wires) {
      client.resetAndDestroy()
      server.resetAndDestroy()
    }
  }

  /** New connections are reset at once; true: from now on. */
  refuse(isRefusing: boolean): void {
    this.#isRefusing = isRefusing
  }

  /** Nothing passes any more, in either direction, and nobody is told; new connections get no answer. */
  freeze(): void {
    this.#isFrozen = true
    for (const { client, server } of this.#wires) for (const socket of [client, server]) socket.pause()
  }

  /** What waited passes. */
  thaw(): void {
    this.#isFrozen = false
    for (const { client, server } of this.#wires) for (const socket of [client, server]) socket.resume()
  }

  /** The next request with this text reaches the server; its reply does not come back, and the client is reset. */
  loseReplyTo(text: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#trap = {
      text,
      spring({ client, server }, request) {
        server.removeAllListeners('data').once('data', () => {
          client.resetAndDestroy()
          server.destroy()
          resolve()
        })
        server.write(request)
      },
    }
    return promise
  }

  /** The client is reset at its next request with this text. The server gets the request when the result is called. */
  delay(text: string): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<() => void>()
    this.#trap = {
      text,
      spring({ client, server }, request) {
        client.removeAllListeners('close').resetAndDestroy()
        resolve(() => server.write(request))
      },
    }
    return promise
  }

  #accept(client: Socket): void {
    client.on('error', () => {})
    if (this.#isRefusing) return void client.resetAndDestroy()
    const wire: Wire = { client, server: connect(this.#port, '127.0.0.1') }
    const { server } = wire
    this.#wires.add(wire)
    this.#total++
    for (const socket of [client, server]) socket.setNoDelay(true).on('error', () => {})
    client.on('data', (bytes) => this.#request(wire, bytes)).on('close', () => server.destroy())
    server
      .on('data', (bytes) => client.write(bytes))
      .on('close', () => {
        this.#wires.delete(wire)
        client.destroy()
      })
    if (this.#isFrozen) for (const socket of [client, server]) socket.pause()
  }

  #request(wire: Wire, bytes: Buffer): void {
    const trap = this.#trap
    if (!trap || !bytes.includes(trap.text)) return void wire.server.write(bytes)
    this.#trap = null
    trap.spring(wire, bytes)
  }
}
