import { describe, expect, it } from 'vitest'
import { RawClient, serve } from './fixtures/serve.ts'
import { SseReader } from './fixtures/sse-reader.ts'

const MB = 1024 * 1024
const EVENTS = 3000
const FRAME = `{"method":"item/agentMessage/delta","params":{"delta":"${'x'.repeat(30_000)}"}}`

const ask = (token: string, after = 0) =>
  `GET /v1/tasks/task-1/events/stream?after=${after} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`

describe('a flood of events', () => {
  it('reaches whoever reads, and costs nothing for those who do not', async () => {
    const server = await serve({ limits: { behindMs: 50 } })
    const { token, log, url } = server
    const idle = Array.from({ length: 20 }, () => new RawClient(server.port))
    for (const client of idle) {
      client.socket.pause()
      client.send(ask(token))
    }
    await expect.poll(() => log.followers).toBe(20)
    const before = process.memoryUsage()
    for (let n = 0; n < EVENTS; n++) log.append(FRAME)
    await expect.poll(() => log.followers, { timeout: 10_000 }).toBe(0)
    const grown = process.memoryUsage()
    // 90 MB of events, 20 readers. The log keeps one string for all; each reader at most its buffer.
    expect(grown.rss - before.rss).toBeLessThan(120 * MB)
    const headers = { authorization: `Bearer ${token}` }
    const reader = new SseReader(await fetch(`${url}/v1/tasks/task-1/events/stream`, { headers }))
    await reader.until(() => reader.messages.length === EVENTS)
    expect(reader.ids.at(-1)).toBe(String(EVENTS))
    await reader.leave()
  })

  it('goes on from the log for one that reads again', async () => {
    const { token, log, url } = await serve({ limits: { behindMs: 50 } })
    const headers = { authorization: `Bearer ${token}` }
    const reader = new SseReader(await fetch(`${url}/v1/tasks/task-1/events/stream`, { headers }))
    await expect.poll(() => log.followers).toBe(1)
    for (let n = 0; n < EVENTS; n++) log.append(FRAME)
    await expect.poll(() => log.followers, { timeout: 10_000 }).toBe(0)
    await reader.until(() => reader.messages.length === EVENTS)
    expect(reader.ids).toEqual(Array.from({ length: EVENTS }, (_, index) => String(index + 1)))
    await reader.leave()
  })

  it('ends the connection of one that takes nothing', async () => {
    const server = await serve({ limits: { heartbeatMs: 20, stalledMs: 100, behindMs: 20 } })
    const client = new RawClient(server.port)
    client.socket.pause()
    client.send(ask(server.token))
    await expect.poll(() => server.log.followers).toBe(1)
    for (let n = 0; n < EVENTS; n++) server.log.append(FRAME)
    client.socket.on('end', () => undefined)
    await expect.poll(() => openStreams(server), { timeout: 10_000 }).toBe(0)
    client.socket.resume()
    await client.closed
  })
})

async function openStreams({ url, token }: { url: string; token: string }): Promise<number> {
  const text = await (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text()
  return Number(/^drawbridge_streams_open (\d+)$/m.exec(text)![1])
}
