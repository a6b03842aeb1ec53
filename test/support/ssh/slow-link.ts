// A TCP proxy that holds every byte back for a while, or for good: a slow link, a cut one. The kernel here has no netem.
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

interface Held {
  readonly at: number
  readonly pass: () => void
}

export class SlowLink {
  readonly port: number
  #delayMs = 0
  #isCut = false
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #waiting: Set<() => void> = new Set()

  constructor(server: Server) {
    this.#server = server
    this.port = (server.address() as { port: number }).port
  }

  /** Every byte arrives this much later, each way. */
  delay(milliseconds: number): void {
    this.#delayMs = milliseconds
  }

  /** Nothing passes, and nobody is told: connections stay open and silent, new ones are never answered. */
  cut(): void {
    this.#isCut = true
  }

  /** What was sent meanwhile arrives now. */
  heal(): void {
    this.#isCut = false
    for (const look of this.#waiting) look()
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }

  join(near: Socket, target: { host: string; port: number }): void {
    const far = connect({ ...target, noDelay: true })
    near.setNoDelay(true)
    this.#carry(near, far)
    this.#carry(far, near)
  }

  #carry(from: Socket, to: Socket): void {
    const held: Held[] = []
    let timer: NodeJS.Timeout | undefined
    const look = () => {
      clearTimeout(timer)
      const now = performance.now()
      while (!this.#isCut && held[0] && held[0].at <= now) held.shift()!.pass()
      if (!this.#isCut && held[0]) timer = setTimeout(look, held[0].at - now)
    }
    const hold = (pass: () => void) => {
      held.push({ at: performance.now() + this.#delayMs, pass })
      look()
    }
    this.#sockets.add(from)
    this.#waiting.add(look)
    from.on('data', (chunk) => hold(() => to.write(chunk)))
    from.on('end', () => hold(() => to.end()))
    from.on('error', () => {})
    from.on('close', () => {
      this.#sockets.delete(from)
      hold(() => {
        to.destroy()
        this.#waiting.delete(look)
      })
    })
  }
}

/** A link to this address that listens on loopback. */
export async function slowLink(target: { host: string; port: number }): Promise<SlowLink> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const link = new SlowLink(server)
  server.on('connection', (socket) => link.join(socket, target))
  return link
}
