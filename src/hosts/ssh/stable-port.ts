// A port of our loopback that stays ours while the connection behind it comes and goes.
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

export interface StablePort {
  readonly port: number
  readonly close: () => void
}

/** What connects to it reaches the socket. `wanted` is taken when it is free. */
export async function openStablePort(
  socketPath: string,
  {
    wanted,
    onUnanswered,
  }: {
    readonly wanted: number | null
    /** A connection ended before a byte came back. */
    readonly onUnanswered: () => void
  },
): Promise<StablePort> {
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(socketPath)
    far.on('close', () => far.bytesRead === 0 && onUnanswered())
    join(near, far, sockets)
  })
  if (!(await listen(server, wanted ?? 0))) await listen(server, 0)
  return {
    port: (server.address() as { port: number }).port,
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function join(near: Socket, far: Socket, sockets: Set<Socket>): void {
  for (const [socket, other] of [
    [near, far],
    [far, near],
  ] as const) {
    sockets.add(socket)
    socket.setNoDelay(true)
    // Half-closed connections mean nothing to a WebSocket: the end of one is the end of both.
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      other.destroy()
    })
    socket.pipe(other)
  }
}

async function listen(server: Server, port: number): Promise<boolean> {
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return true
  } catch (error) {
    if (port === 0) throw error
    return false
  }
}
