import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { checkAddress } from '../websocket-address.ts'
import { askVersion } from './ask-version.ts'

/** What listens on the host, and need not be codex. */
async function ask(answer: (socket: WebSocket) => void): Promise<string | null> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => server.close())
  await once(server, 'listening')
  server.on('connection', (socket) => socket.once('message', () => answer(socket)))
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
  return askVersion(checkAddress({ url }), { kind: 'exec-server', timeoutMs: 500 })
}

const reply = (result: unknown) => (socket: WebSocket) => socket.send(JSON.stringify({ id: 1, result }))

it('takes the version from what codex says, and none from anything else', async () => {
  expect(await ask(reply({ environmentInfo: { executorVersion: '0.166.0' } }))).toBe('0.166.0')
  expect(await ask(reply({ userAgent: 'codex/0.166.0 (Debian)' }))).toBe('0.166.0')
  expect(await ask(reply({ userAgent: { version: 1 } }))).toBe(null)
  expect(await ask(reply(null))).toBe(null)
  expect(await ask((socket) => socket.send('SSH-2.0-OpenSSH'))).toBe(null)
  expect(await ask((socket) => socket.send(Buffer.from([0, 255, 254])))).toBe(null)
})

it('ends with an error where the answer is endless, broken or never comes', async () => {
  const gone = { code: 'app-server-unreachable', retryable: true }
  await expect(ask((socket) => socket.send('x'.repeat(2_000_000)))).rejects.toMatchObject(gone)
  await expect(ask((socket) => socket.terminate())).rejects.toMatchObject(gone)
  // No frame of the protocol begins so.
  const garbage = (socket: WebSocket) =>
    (socket as unknown as { _socket: NodeJS.WritableStream })._socket.write('\xff\xff\xff\xff')
  await expect(ask(garbage)).rejects.toMatchObject(gone)
  await expect(ask(() => {})).rejects.toMatchObject({ code: 'app-server-connect-timed-out' })
})
