// Node gives up on a request before it reaches a route: its refusal looks like every other.
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ErrorBody } from '../contract.ts'

interface Refusal {
  readonly status: number
  readonly code: string
  readonly message: string
}

const UNREADABLE: Refusal = {
  ...{ status: 400, code: 'bad-request' },
  message: 'this is not a request that can be read',
}

const REFUSALS: Readonly<Record<string, Refusal>> = {
  // Also of a service that was frozen between the headers and the body.
  ERR_HTTP_REQUEST_TIMEOUT: {
    ...{ status: 408, code: 'request-incomplete' },
    message: 'the request did not arrive in time: nothing was done, send it again',
  },
  HPE_HEADER_OVERFLOW: {
    ...{ status: 431, code: 'headers-too-large' },
    message: 'the headers of the request are too large',
  },
}

const arriving = new WeakSet<Duplex>()

/** What is sent may take longer than other requests may: whoever reads it has a deadline of its own. */
export function letArrive(socket: Duplex): () => void {
  arriving.add(socket)
  return () => arriving.delete(socket)
}

/** A listener for `clientError` of a server. */
export function refuseUnread(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && arriving.has(socket)) return
  const { status, code, message } = REFUSALS[error.code ?? ''] ?? UNREADABLE
  if (!socket.writable || isAnswering(socket)) return void socket.destroy()
  const body = JSON.stringify({ error: { code, message } } satisfies ErrorBody)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}

/** Bytes of ours in the middle of another answer would be taken for a part of it. As Node's own listener looks. */
function isAnswering(socket: Duplex): boolean {
  const { _httpMessage: answer } = socket as { _httpMessage?: { readonly headersSent?: boolean } | null }
  return answer?.headersSent === true
}
