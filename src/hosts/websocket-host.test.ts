import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { INITIALIZE, Reading } from './fixtures/reading.ts'
import { realCodex, scratch } from './fixtures/scratch.ts'
import { identify } from './processes.ts'
import { until } from './until.ts'
import { webSocketHost } from './websocket-host.ts'

const { freshCodexHome, scratchFolder } = scratch(onTestFinished)

/** A real app-server that listens; resolves with its pid when its stderr names the address, or the socket is there. */
async function listen(listenAt: string, args: string[] = []): Promise<{ pid: number; stderr: string[] }> {
  const child = spawn(realCodex, ['app-server', '--listen', listenAt, ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, CODEX_HOME: freshCodexHome() },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  const stderr: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => stderr.push(line))
  return { pid: child.pid!, stderr }
}

async function initialize(host: ReturnType<typeof webSocketHost>) {
  const appServer = await host.open({})
  const reading = new Reading(appServer.channel)
  appServer.channel.send(INITIALIZE)
  await reading.lineWith('"id":1')
  return { appServer, reading }
}

describe('a real app-server', () => {
  it('is reached over a unix socket whose path has colons, and outlives our connection', async () => {
    const socketPath = path.join(scratchFolder(), 'a:b.sock')
    const { pid } = await listen(`unix://${socketPath}`)
    expect(await until(() => existsSync(socketPath), 10_000)).toBe(true)
    const host = webSocketHost({ socketPath })
    const { appServer, reading } = await initialize(host)
    expect(appServer).toMatchObject({ pid: null, codexVersion: null })
    await Promise.all([appServer.close(), appServer.close()])
    expect((await reading.end()).message).toContain('Drawbridge closed its connection')
    expect(identify(pid)).not.toBeNull()

    const second = await initialize(host)
    process.kill(pid, 'SIGKILL')
    expect((await second.reading.end()).message).toMatch(/closed \(1006\)/)
    await second.appServer.close()
  })

  it('on loopback wants its token', async () => {
    const tokenFile = path.join(scratchFolder(), 'token')
    writeFileSync(tokenFile, 'open-sesame')
    const args = ['--ws-auth', 'capability-token', '--ws-token-file', tokenFile]
    const { stderr } = await listen('ws://127.0.0.1:0', args)
    const address = () => /ws:\/\/127\.0\.0\.1:[1-9]\d*/.exec(stderr.join('\n'))?.[0]
    expect(await until(() => address() !== undefined, 10_000)).toBe(true)
    const url = address()!
    await expect(webSocketHost({ url }).open({})).rejects.toMatchObject({ code: 'app-server-unauthorized' })
    const wrong = webSocketHost({ url, token: 'wrong' })
    await expect(wrong.open({})).rejects.toMatchObject({ hint: expect.stringContaining('--ws-token-file') })
    const { appServer } = await initialize(webSocketHost({ url, token: 'open-sesame' }))
    await appServer.close()
  })
})

/** A server on loopback that is no codex. */
async function serve(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function serveWebSocket(onConnection: (socket: WebSocket) => void): Promise<string> {
  const server = createServer()
  const sockets = new WebSocketServer({ server })
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate()
  })
  sockets.on('connection', onConnection)
  return serve(server)
}

describe('a connection', () => {
  it('delivers what came before its reader', async () => {
    const url = await serveWebSocket((socket) => {
      socket.send('one')
      socket.send('two')
      socket.close(4000, 'bye')
    })
    const appServer = await webSocketHost({ url }).open({})
    const reading = new Reading(appServer.channel)
    expect((await reading.end()).message).toContain('closed (4000: bye)')
    expect(reading.lines).toEqual(['one', 'two'])
    appServer.channel.send('after the end')
  })

  it('skips and reports a frame over the cap, and goes on', async () => {
    const url = await serveWebSocket((socket) => {
      socket.send('x'.repeat(300_000))
      socket.send('next')
    })
    const appServer = await webSocketHost({ url, maxLineBytes: 1000 }).open({})
    const reading = new Reading(appServer.channel)
    await reading.lineWith('next')
    expect(reading.oversizes).toEqual([300_000])
    expect(reading.lines).toEqual(['next'])
    await appServer.close()
  })

  it('sends whole lines only, and no Origin', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const server = createServer()
    const url = await serve(server)
    const origins: unknown[] = []
    new WebSocketServer({ server }).on('connection', (socket, request) => {
      origins.push(request.headers.origin)
      socket.on('message', (frame) => resolve(String(frame)))
    })
    const appServer = await webSocketHost({ url }).open({})
    expect(() => appServer.channel.send('{}\n{}')).toThrow(/line break/)
    appServer.channel.send('{"a":1}')
    expect(await promise).toBe('{"a":1}')
    expect(origins).toEqual([undefined])
    await appServer.close()
  })

  it('is cut when the other side does not answer our close', async () => {
    const url = await serveWebSocket((socket) => socket.pause())
    const appServer = await webSocketHost({ url }).open({})
    const startedAt = performance.now()
    await appServer.close()
    expect(performance.now() - startedAt).toBeLessThan(3000)
  })
})

describe('the pulse of a connection', () => {
  const everyMs = 60
  const FRAME_BYTES = 50_000

  /** Answers no ping, but sends a tenth of one long frame at each. */
  async function slowSender(): Promise<string> {
    const server = createServer()
    const sockets = new WebSocketServer({ server, autoPong: false })
    sockets.on('connection', (socket, request) => {
      const frame = Buffer.alloc(4 + FRAME_BYTES, 'x')
      frame.set([0x81, 126, FRAME_BYTES >> 8, FRAME_BYTES & 0xff])
      let sent = 0
      socket.on('ping', () => {
        const part = frame.subarray(sent, sent + 5_001)
        sent += part.length
        if (part.length > 0) request.socket.write(part)
      })
    })
    return serve(server)
  }

  it('is felt while a long frame takes its time, and missed when nothing comes any more', async () => {
    const appServer = await webSocketHost({ url: await slowSender(), pingEveryMs: everyMs }).open({})
    const reading = new Reading(appServer.channel)
    expect(await reading.lineWith('xxx')).toHaveLength(FRAME_BYTES)
    const reason = await reading.end()
    expect(reason.message).toContain(`has answered nothing for ${everyMs} ms: its connection was cut`)
    expect(reason.hasCodexEnded).toBe(false)
  })

  it('is kept up by answers alone', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const url = await serveWebSocket((socket) => {
      let pings = 0
      socket.on('ping', () => ++pings === 6 && resolve())
    })
    const appServer = await webSocketHost({ url, pingEveryMs: everyMs }).open({})
    const reading = new Reading(appServer.channel)
    await promise
    expect(reading.reasons).toEqual([])
    await appServer.close()
  })

  it('is not missed after our own event loop was blocked', async () => {
    const patientMs = 250
    const url = await serveElsewhere()
    const appServer = await webSocketHost({ url, pingEveryMs: patientMs }).open({})
    const reading = new Reading(appServer.channel)
    await reading.lineWith('ping 1')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4 * patientMs)
    await reading.lineWith('ping 4')
    expect(reading.reasons).toEqual([])
    await appServer.close()
  })
})

/** In a process of its own: a server that tells of every ping. */
async function serveElsewhere(): Promise<string> {
  const program = `import { WebSocketServer } from 'ws'
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' }, () => console.log(server.address().port))
    server.on('connection', (socket) => {
      let pings = 0
      socket.on('ping', () => socket.send('ping ' + ++pings))
    })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [port] = await once(createInterface({ input: child.stdout }), 'line')
  return `ws://127.0.0.1:${port}`
}

describe('an address', () => {
  it('must not lead over a network in the clear', () => {
    const codeOf = (url: string, token?: string) => {
      try {
        return webSocketHost({ url, token }).name
      } catch (error) {
        return (error as { code: string }).code
      }
    }
    expect(codeOf('ws://192.168.0.7:8080')).toBe('app-server-address-refused')
    expect(codeOf('ws://127.0.0.1.example.com')).toBe('app-server-address-refused')
    expect(codeOf('http://127.0.0.1')).toBe('app-server-address-refused')
    expect(codeOf('nonsense')).toBe('app-server-address-refused')
    expect(codeOf('ws://localhost:1', 'with\nbreak')).toBe('app-server-address-refused')
    expect(codeOf('ws://[::1]:1')).toBe('ws://[::1]:1/')
    expect(codeOf('wss://user:secret@build-box/path?token=1')).toBe('wss://build-box/path')
  })

  it('where nothing listens, or something else, or something silent, is told apart', async () => {
    const socketPath = path.join(scratchFolder(), 'none.sock')
    const nobody = webSocketHost({ socketPath }).open({})
    await expect(nobody).rejects.toMatchObject({ code: 'app-server-unreachable', retryable: true })
    const answering = (status: number) =>
      serve(createServer((_request, response) => response.writeHead(status).end()))
    const open = async (url: string) => webSocketHost({ url }).open({})
    await expect(open(await answering(403))).rejects.toMatchObject({ code: 'app-server-forbidden' })
    await expect(open(await answering(200))).rejects.toMatchObject({ code: 'app-server-refused' })
    const silent = await serve(createServer(() => {}).on('upgrade', () => {}))
    const impatient = webSocketHost({ url: silent, connectTimeoutMs: 200 }).open({})
    await expect(impatient).rejects.toMatchObject({ code: 'app-server-connect-timed-out' })
    const signal = AbortSignal.timeout(50)
    const aborted = webSocketHost({ url: silent }).open({ signal })
    await expect(aborted).rejects.toMatchObject({ name: 'TimeoutError' })
  })
})
