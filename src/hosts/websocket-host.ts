// An app-server that somebody else started and that listens on a socket. We only make and end the way to it.
import { type AppServer, DEFAULT_MAX_LINE_BYTES, type Host, TransportClosedError } from '../codex/index.ts'
import { localPaths } from './local/path-facts.ts'
import { checkAddress, type WebSocketAddress } from './websocket-address.ts'
import { PING_EVERY_MS, WebSocketChannel } from './websocket-channel.ts'
import { connectWebSocket } from './websocket-connect.ts'

export type WebSocketHostOptions = WebSocketAddress & {
  readonly maxLineBytes?: number
  readonly connectTimeoutMs?: number
  /** A side that has answered nothing for two of these is given up. */
  readonly pingEveryMs?: number
}

/** Throws at once when the address is not one we would use. Closing what it opens leaves the app-server running. */
export function webSocketHost(options: WebSocketHostOptions): Host {
  const address = checkAddress(options)
  const { name } = address

  async function open({ signal }: { signal?: AbortSignal } = {}): Promise<AppServer> {
    const socket = await connectWebSocket(address, { timeoutMs: options.connectTimeoutMs, signal })
    const channel = new WebSocketChannel(socket, {
      name,
      maxLineBytes: options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES,
      pingEveryMs: options.pingEveryMs ?? PING_EVERY_MS,
    })
    return {
      channel,
      codexVersion: null,
      pid: null,
      outlivesUs: true,
      stderrTail: () => [],
      close: () => {
        channel.close(new TransportClosedError(`Drawbridge closed its connection to ${name}`))
        return channel.ended
      },
    }
  }

  // Only a unix socket is certainly on this machine.
  return { name, open, ...('socketPath' in options && localPaths) }
}
