import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { AppServerUnreachableError } from './app-server-unreachable-error.ts'
import { loadWs } from './load-ws.ts'
import type { CheckedAddress } from './websocket-address.ts'

const CONNECT_MS = 10_000
/** Frames up to here are received, so that one above the line cap costs a line, not the connection. */
const MAX_FRAME_BYTES = 512 * 1024 * 1024

/** An open, paused WebSocket and the stream below it; nothing is left when this rejects. */
export async function connectWebSocket(
  address: CheckedAddress,
  options: { timeoutMs?: number; maxFrameBytes?: number; signal?: AbortSignal },
): Promise<{ socket: WebSocket; stream: Socket }> {
  // Most programs speak to codex over stdio, and need none of it.
  const ws = await loadWs()
  options.signal?.throwIfAborted()
  const timeoutMs = options.timeoutMs ?? CONNECT_MS
  const socket = new ws.WebSocket(address.url, {
    ...address.options,
    perMessageDeflate: false,
    maxPayload: options.maxFrameBytes ?? MAX_FRAME_BYTES,
    skipUTF8Validation: true, // we decode with replacement, as from stdio
  })
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const onAbort = () => reject(options.signal?.reason)
  const timer = setTimeout(() => reject(timedOut(address.name, timeoutMs)), timeoutMs)
  options.signal?.addEventListener('abort', onAbort, { once: true })
  socket.once('unexpected-response', (_request, response) => reject(refusal(address.name, response)))
  socket.on('error', (error) => reject(unreachable(address.name, error)))
  // 'open' follows at once, before anything is read.
  socket.once('upgrade', ({ socket: stream }) => socket.once('open', () => resolve(stream)))
  socket.once('open', () => socket.pause())
  try {
    return { socket, stream: await promise }
  } catch (error) {
    socket.terminate()
    throw error
  } finally {
    clearTimeout(timer)
    options.signal?.removeEventListener('abort', onAbort)
  }
}

function refusal(name: string, response: IncomingMessage): AppServerUnreachableError {
  response.resume()
  if (response.statusCode === 401) {
    return new AppServerUnreachableError(`the app-server at ${name} did not accept our token (401)`, {
      code: 'app-server-unauthorized',
      hint: 'give the token that the app-server was started with (--ws-token-file or --ws-token-sha256)',
    })
  }
  if (response.statusCode === 403) {
    return new AppServerUnreachableError(`the app-server at ${name} forbids the connection (403)`, {
      code: 'app-server-forbidden',
      hint: 'codex forbids requests with an Origin header: is a proxy adding one?',
    })
  }
  return new AppServerUnreachableError(
    `what listens at ${name} answered ${response.statusCode}, not a WebSocket`,
    {
      code: 'app-server-refused',
      hint: 'check that this is the address of a `codex app-server --listen …`',
    },
  )
}

function unreachable(name: string, cause: NodeJS.ErrnoException): AppServerUnreachableError {
  return new AppServerUnreachableError(
    `cannot reach an app-server at ${name}: ${cause.code ?? cause.message}`,
    {
      code: 'app-server-unreachable',
      hint: 'start one there with `codex app-server --listen …`, or check the address',
      retryable: true,
      cause,
    },
  )
}

function timedOut(name: string, timeoutMs: number): AppServerUnreachableError {
  return new AppServerUnreachableError(`the app-server at ${name} did not answer within ${timeoutMs} ms`, {
    code: 'app-server-connect-timed-out',
    hint: 'look whether it is busy or stopped; restart it if it stays silent',
    retryable: true,
  })
}
