import type { OutgoingHttpHeaders } from 'node:http'
import { connect, type Socket } from 'node:net'
import { AppServerUnreachableError } from './app-server-unreachable-error.ts'

/** A unix socket (`codex app-server --listen unix://…`), or a URL (`--listen ws://127.0.0.1:…`). */
export type WebSocketAddress =
  | { readonly socketPath: string }
  | { readonly url: string; readonly token?: string }

/** An address that has been checked: what to hand to `ws`, and what to call it in messages. */
export interface CheckedAddress {
  readonly name: string
  readonly url: string
  /** Not in the words of `ws`: its types are not ours to hand on. */
  readonly options: {
    readonly createConnection?: () => Socket
    readonly headers?: OutgoingHttpHeaders
  }
}

/** Throws when using the address would send the token, or a shell's worth of power, in the clear over a network. */
export function checkAddress(address: WebSocketAddress): CheckedAddress {
  if ('socketPath' in address) {
    const { socketPath } = address
    // Not `ws+unix:`, which cuts a path at its first colon.
    return {
      name: `unix:${socketPath}`,
      url: 'ws://localhost/',
      options: { createConnection: () => connect(socketPath) },
    }
  }
  const url = parse(address.url)
  const name = `${url.protocol}//${url.host}${url.pathname}`
  if (url.protocol !== 'wss:' && !isLoopback(url.hostname)) {
    throw refused(
      `refusing to connect to ${name}: over plain ws:// everyone on the way could take over that machine`,
      'use wss://, or reach it through an ssh tunnel and ws://127.0.0.1',
    )
  }
  return { name, url: url.href, options: { headers: authorization(address.token) } }
}

function parse(text: string): URL {
  const url = URL.parse(text)
  if (url?.protocol === 'ws:' || url?.protocol === 'wss:') return url
  throw refused('the address of the app-server is not a ws:// or wss:// URL', 'use ws://127.0.0.1:<port>')
}

function authorization(token: string | undefined): Record<string, string> {
  if (token === undefined) return {}
  if (/^[\x21-\x7e]+$/.test(token)) return { Authorization: `Bearer ${token}` }
  throw refused(
    'the token is empty or has characters a header cannot carry',
    'check for a line break at its end',
  )
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

function refused(message: string, hint: string): AppServerUnreachableError {
  return new AppServerUnreachableError(message, { code: 'app-server-address-refused', hint })
}
