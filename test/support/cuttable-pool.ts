// App-servers that live on while the connections to them are cut.
import { type Channel, type Host, TransportClosedError } from '../../src/codex/index.ts'
import type { AppServerKey, AppServers, RunningAppServer } from '../../src/tasks/index.ts'

export function cuttablePool() {
  const channels = new Set<Channel>()
  let looks = 0
  let trap: Trap | null = null
  const listeners = new Map<string, () => void>()
  const watched = (channel: Channel): Channel => ({
    read: (reader) =>
      channel.read({
        line(text) {
          listeners.get((JSON.parse(text) as Line).method ?? '')?.()
          const isReply = trap !== null && trap.id !== null && (JSON.parse(text) as Line).id === trap.id
          if (!isReply) return reader.line(text)
          const { hold } = trap!
          trap = null
          if (hold) hold(() => reader.line(text))
          else cut()
        },
        oversize: (bytes) => reader.oversize(bytes),
        closed: (reason) => reader.closed(reason),
      }),
    close: (reason) => channel.close(reason),
    send(line) {
      const { id, method } = JSON.parse(line) as Line
      if (method === 'thread/turns/list') looks++
      if (trap === null || method !== trap.method) return channel.send(line)
      if (trap.at === 'reply') {
        trap.id = id ?? null
        return channel.send(line)
      }
      trap = null
      setImmediate(cut)
    },
  })
  /** Ends every connection that stands, as a broken socket does. Returns how many. */
  function cut(): number {
    const count = channels.size
    for (const channel of channels)
      channel.close(new TransportClosedError('the connection was cut by the test'))
    channels.clear()
    return count
  }
  /** Cuts in place of the next request of this method, or of its reply. */
  function cutAt(method: string, at: Trap['at']): void {
    trap = { method, at, id: null, hold: null }
  }
  /** Keeps the reply to the next request of this method back. Resolves when it has come, with how to let it through. */
  function holdReply(method: string): Promise<() => void> {
    return new Promise((resolve) => {
      trap = { method, at: 'reply', id: null, hold: resolve }
    })
  }
  /** Resolves when a notification of this method comes. */
  function heard(method: string): Promise<void> {
    return new Promise((resolve) => listeners.set(method, resolve))
  }
  const wrapHost = (host: Host): Host => ({
    ...host,
    async open(options) {
      const appServer = await host.open(options)
      channels.add(appServer.channel)
      const channel = watched(appServer.channel)
      return new Proxy(appServer, {
        get: (target, key) => (key === 'channel' ? channel : bound(target, key)),
      })
    },
  })
  const servers = new WeakMap<RunningAppServer, RunningAppServer>()
  const wrapServer = (server: RunningAppServer): RunningAppServer => {
    const host = wrapHost(server.host)
    const wrapped =
      servers.get(server) ??
      new Proxy(server, { get: (target, key) => (key === 'host' ? host : bound(target, key)) })
    servers.set(server, wrapped)
    return wrapped
  }
  const wrapPool = (pool: AppServers): AppServers => ({
    canonical: (key) => pool.canonical(key),
    adopt: async (options) => (await pool.adopt(options)).map(wrapServer),
    get: async (key: AppServerKey, options) => wrapServer(await pool.get(key, options)),
    list: () => pool.list(),
    release: () => pool.release(),
  })
  /** How often a thread's newest turns were looked at: that is the last thing before a turn is found again. */
  return { wrapPool, cut, cutAt, holdReply, heard, looks: () => looks }
}

interface Trap {
  readonly method: string
  readonly at: 'request' | 'reply'
  id: Line['id'] | null
  /** null: cut. */
  readonly hold: ((letThrough: () => void) => void) | null
}

interface Line {
  readonly id?: number | string
  readonly method?: string
}

/** Private fields want their own object as `this`. */
function bound(target: object, key: string | symbol): unknown {
  const value = Reflect.get(target, key, target)
  return typeof value === 'function' ? value.bind(target) : value
}
