import type { Channel, Host } from '../../src/codex/index.ts'

/** One question of codex and what went back over the wire. */
export interface Exchange {
  readonly id: number | string
  readonly method: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever it expects to be there
  readonly params: any
  /** Absent as long as nothing went back. */
  reply?: { readonly result?: unknown; readonly error?: { readonly code: number; readonly message: string } }
}

/** The same host; what codex asks on it, and what it is answered, is also written into the list. */
export function recordedHost(host: Host, exchanges: Exchange[]): Host {
  return {
    ...host,
    async open(options) {
      const appServer = await host.open(options)
      const channel = recorded(appServer.channel, exchanges)
      return new Proxy(appServer, {
        get: (target, key) => (key === 'channel' ? channel : bound(target, key)),
      })
    },
  }
}

function recorded(channel: Channel, exchanges: Exchange[]): Channel {
  return {
    read: (reader) =>
      channel.read({
        line(text) {
          const { id, method, params } = parsed(text)
          if (id !== undefined && method !== undefined) exchanges.push({ id, method, params })
          reader.line(text)
        },
        oversize: (bytes) => reader.oversize(bytes),
        closed: (reason) => reader.closed(reason),
      }),
    send(line) {
      const { id, method, result, error } = parsed(line)
      const open = exchanges.findLast((exchange) => exchange.id === id && !exchange.reply)
      if (method === undefined && open) open.reply = error ? { error } : { result }
      channel.send(line)
    },
    close: (reason) => channel.close(reason),
  }
}

function parsed(line: string): Partial<Exchange> & Exchange['reply'] {
  try {
    return JSON.parse(line)
  } catch {
    return {}
  }
}

/** Private fields want their own object as `this`. */
function bound(target: object, key: string | symbol): unknown {
  const value = Reflect.get(target, key, target)
  return typeof value === 'function' ? value.bind(target) : value
}
