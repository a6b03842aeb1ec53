import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface FreezableProxy {
  readonly port: number
  /** From now on nothing goes through and nobody is told, as when a cable is cut. */
  freeze(): void
  /** What was held back goes through. */
  thaw(): void
}

/** A way to a port of this machine. Closed when the test has finished. */
export async function freezableProxy(to: number): Promise<FreezableProxy> {
  const sockets = new Set<Socket>()
  let isFrozen = false
  const join = (from: Socket, other: Socket) => {
    sockets.add(from)
    from.on('data', (bytes) => other.write(bytes))
    from.on('error', () => other.destroy())
    from.on('close', () => {
      sockets.delete(from)
      other.destroy()
    })
    if (isFrozen) from.pause()
  }
  const server = createServer((client) => {
    const target = connect(to, '127.0.0.1')
    join(client, target)
    join(target, client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return {
    port: (server.address() as AddressInfo).port,
    freeze() {
      isFrozen = true
      for (const socket of sockets) socket.pause()
    },
    thaw() {
      isFrozen = false
      for (const socket of sockets) socket.resume()
    },
  }
}
