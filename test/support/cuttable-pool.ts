// App-servers that live on while the connections to them are cut.
import { type Channel, type Host, TransportClosedError } from '../../src/codex/index.ts'
import type { AppServerKey, AppServers, RunningAppServer } from '../../src/tasks/index.ts'

export function cuttablePool() {
  const channels = new Set<Channel>()
  let looks = 0
  const watched = (channel: Channel): Channel => ({
    read: (reader) => channel.read(reader),
    close: (reason) => channel.close(reason),
    send(line) {
      if (line.includes('"thread/turns/list"')) looks++
      channel.send(line)
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
    adopt: async (options) => (await pool.adopt(options)).map(wrapServer),
    get: async (key: AppServerKey, options) => wrapServer(await pool.get(key, options)),
    list: () => pool.list(),
    release: () => pool.release(),
  })
  /** How often a thread's newest turns were looked at: that is the last thing before a turn is found again. */
  return { wrapPool, cut, looks: () => looks }
}

/** Private fields want their own object as `this`. */
function bound(target: object, key: string | symbol): unknown {
  const value = Reflect.get(target, key, target)
  return typeof value === 'function' ? value.bind(target) : value
}
