// Stands between us and a server, and does to connections what networks do.
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface TcpProxy {
  /** The same address, through here. */
  through(url: string): string
  /** How many connections there are. */
  readonly count: number
  /** How many there have been. */
  readonly total: number
  /** Ends all connections. */
  cut(): void
  /** Nothing passes any more, in either direction, and nobody is told; new connections neither. */
  freeze(): void
  /** What waited passes. */
  thaw(): void
  /** New connections are ended at once; true: from now on. */
  refuse(isRefusing: boolean): void
}

export async function tcpProxy(port: number): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let total = 0
  let isFrozen = false
  let isRefusing = false
  const server = createServer((near) => {
    near.on('error', () => {})
    if (isRefusing) return void near.destroy()
    total++
    const far = connect(port, '127.0.0.1').on('error', () => {})
    const pair = [near, far] as const
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      near.destroy()
      far.destroy()
    }
    near.on('close', end)
    far.on('close', end)
    near.on('data', (bytes) => far.write(bytes))
    far.on('data', (bytes) => near.write(bytes))
    if (isFrozen) for (const side of pair) side.pause()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const [near] of pairs) near.destroy()
  }
  onTestFinished(() => {
    cut()
    server.close()
  })
  return {
    through: (url) =>
      Object.assign(new URL(url), { port: String((server.address() as { port: number }).port) }).href,
    get count() {
      return pairs.size
    },
    get total() {
      return total
    },
    cut,
    freeze() {
      isFrozen = true
      for (const pair of pairs) for (const side of pair) side.pause()
    },
    thaw() {
      isFrozen = false
      for (const pair of pairs) for (const side of pair) side.resume()
    },
    refuse(refusing) {
      isRefusing = refusing
    },
  }
}
