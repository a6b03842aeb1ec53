// Files over a real socket: forms that arrive slowly, wrongly or not at all, and downloads in parts and at any speed.
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs'
import { connect as connectSocket } from 'node:net'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { taskRow } from '../../store/fixtures/sample-rows.ts'
import { makeScratchStore } from '../../store/fixtures/scratch-store.ts'
import { insertTask } from '../../store/index.ts'
import { TaskFiles } from '../../workspaces/index.ts'
import { connect } from '../client/client.ts'
import { errorOf, scratchDir } from '../fixtures/open-api.ts'
import { RawClient, serve } from '../fixtures/serve.ts'
import { TASK } from '../fixtures/values.ts'
import type { ServeOptions } from '../serve.ts'

const LIMITS = { maxFileBytes: 1_000_000, maxFiles: 3, maxTaskBytes: 2_000_000, types: null }

async function stage(options: Partial<ServeOptions> = {}) {
  const folder = scratchDir()
  const at = (...parts: string[]) => path.join(folder, ...parts)
  mkdirSync(at('repo'))
  writeFileSync(at('repo/a ü.html'), '0123456789')
  const store = await makeScratchStore()
  onTestFinished(() => store.remove())
  const { db } = await store.open()
  await insertTask(db, taskRow(TASK.id, { cwd: at('repo') }), [])
  const files = new TaskFiles({
    ...{ db, store: 'sqlite', now: Date.now },
    ...{ folder: at('uploads'), workerId: null, limits: LIMITS, protectedFor: () => [] },
  })
  const server = await serve({ files, ...options })
  const place = {
    task: { ...TASK, cwd: at('repo'), worker: null, host: null, workspace: null },
    within: null,
  }
  server.service.placeToRead = async () => place
  server.service.placeToUpload = async () => place
  server.service.addUploads = async (taskId, uploads, { actor }) =>
    uploads.map((upload) => ({ id: upload.name, taskId, actor, isTold: false, createdAt: 1, ...upload }))
  const { url, token } = server
  const headers = { authorization: `Bearer ${token}` }
  const get = (name: string, more: Record<string, string> = {}, init: RequestInit = {}) =>
    fetch(`${url}/v1/tasks/task-1/files/content?path=${encodeURIComponent(name)}`, {
      ...init,
      headers: { ...headers, ...more },
    })
  const post = (body: FormData | string, more: Record<string, string> = {}) =>
    fetch(`${url}/v1/tasks/task-1/uploads`, { method: 'POST', body, headers: { ...headers, ...more } })
  const kept = () =>
    existsSync(at('uploads')) ? readdirSync(at('uploads'), { recursive: true }).map(String) : []
  const client = connect({ url, token })
  return { server, at, get, post, kept, client, headers, url, token }
}

const HEAD = (token: string, length: number | 'chunked') =>
  [
    'POST /v1/tasks/task-1/uploads HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${token}`,
    'Content-Type: multipart/form-data; boundary=x',
    length === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`,
    '\r\n',
  ].join('\r\n')
const BEGIN = '--x\r\nContent-Disposition: form-data; name="file"; filename="slow.txt"\r\n\r\n'
const END = '\r\n--x--\r\n'

/** How often this process has it open. */
function openFiles(file: string): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === file
    } catch {
      return false
    }
  }).length
}

describe('an upload', () => {
  it('is stored as it is, and told with its path, size and type', async () => {
    const { client, at } = await stage()
    const data = new Blob([Buffer.alloc(300_000, 'x')])
    const uploads = await client.files.upload('task-1', [
      { name: '../../ü "1".txt', data },
      { name: 'b.bin', data: new Blob(['\0']) },
    ])
    expect(uploads).toMatchObject([
      { name: 'ü _1_.txt', bytes: 300_000, type: 'text/plain', path: at('uploads/task-1/ü _1_.txt') },
      { name: 'b.bin', bytes: 1, type: 'application/octet-stream', isTold: false },
    ])
    const { entries } = await client.files.list('task-1', { in: 'uploads' })
    expect(entries.map(({ name }) => name)).toEqual(['b.bin', 'ü _1_.txt'])
  })

  it('that is refused leaves nothing, and says why also while it is being sent', async () => {
    const { client, post, kept, headers, url } = await stage()
    const large = { name: 'large', data: new Blob([Buffer.alloc(20_000_000)]) }
    await expect(client.files.upload('task-1', [large])).rejects.toMatchObject({
      status: 413,
      code: 'file-too-large',
    })
    const many = [...'abcd'].map((name) => ({ name, data: new Blob([name]) }))
    await expect(client.files.upload('task-1', many)).rejects.toMatchObject({
      status: 413,
      code: 'too-many-files',
    })
    await expect(client.files.upload('task-1', [])).rejects.toMatchObject({ status: 400 })
    expect((await errorOf(await post('{}', { 'content-type': 'application/json' }))).status).toBe(415)
    expect(
      (await errorOf(await post('x', { 'content-type': 'multipart/form-data; boundary=x' }))).status,
    ).toBe(400)
    // No other route takes forms, and no other site may send one.
    const elsewhere = await fetch(`${url}/v1/tasks/task-1/fork`, {
      method: 'POST',
      body: new FormData(),
      headers,
    })
    expect(elsewhere.status).toBe(415)
    const foreign = await post(new FormData(), { origin: 'https://evil.example' })
    expect(await errorOf(foreign)).toMatchObject({ status: 403, code: 'foreign-origin' })
    expect(kept().toSorted()).toEqual(['.incoming', '.store'])
  })

  it('may take longer than other requests; one that stops, or is cut, is given up', async () => {
    const { server, token, kept } = await stage({
      limits: { requestMs: 200, headersMs: 200, stalledMs: 2000 },
    })
    const slow = new RawClient(server.port).send(HEAD(token, 'chunked'))
    const chunk = (text: string) => slow.send(`${text.length.toString(16)}\r\n${text}\r\n`)
    chunk(BEGIN)
    // Three times as long as any other request may take, by the server's own clock.
    const started = performance.now()
    while (performance.now() - started < 600) {
      chunk('x')
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    chunk(END)
    slow.send('0\r\n\r\n')
    expect(await slow.status()).toBe(201)
    expect(kept()).toContain('task-1/slow.txt')

    const stopped = new RawClient(server.port).send(HEAD(token, 1000)).send(`${BEGIN}half`)
    const cut = new RawClient(server.port).send(HEAD(token, 1000)).send(`${BEGIN}half`)
    await expect.poll(() => kept().filter((name) => name.startsWith('.incoming/')).length).toBe(2)
    cut.socket.destroy()
    expect(await stopped.status()).toBe(504)
    await expect.poll(() => kept().toSorted()).toEqual(['.incoming', '.store', 'task-1', 'task-1/slow.txt'])
  })
})

describe('a download', () => {
  it('is bytes that no browser shows or runs', async () => {
    const { get } = await stage()
    const response = await get('a ü.html')
    expect(await response.text()).toBe('0123456789')
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '10',
      'content-disposition': `attachment; filename="a _.html"; filename*=UTF-8''a%20%C3%BC.html`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
      'cache-control': 'no-store, no-transform',
    })
    const head = await get('a ü.html', {}, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '10', ''])
    expect(await errorOf(await get('../secret'))).toMatchObject({ status: 403, code: 'file-outside' })
    expect(await errorOf(await get('none'))).toMatchObject({ status: 404, code: 'file-not-found' })
  })

  it.each([
    ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
    ['bytes=8-', 206, '89', 'bytes 8-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=-99', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=5-99', 206, '56789', 'bytes 5-9/10'],
    ['bytes=10-', 416, '', 'bytes */10'],
    ['bytes=-0', 416, '', 'bytes */10'],
    ['bytes=4-2', 200, '0123456789', null],
    ['bytes=0-1,4-5', 200, '0123456789', null],
    ['lines=1-2', 200, '0123456789', null],
  ])('of the range %s is answered with %i', async (range, status, text, contentRange) => {
    const { get } = await stage()
    const response = await get('a ü.html', { range })
    expect([response.status, await response.text(), response.headers.get('content-range')]).toEqual([
      status,
      text,
      contentRange,
    ])
  })

  it('goes on only of the same content', async () => {
    const { get, at } = await stage()
    const etag = (await get('a ü.html', {}, { method: 'HEAD' })).headers.get('etag')!
    const again = () => get('a ü.html', { range: 'bytes=8-', 'if-range': etag })
    expect((await again()).status).toBe(206)
    writeFileSync(at('repo/a ü.html'), 'another text')
    expect((await again()).status).toBe(200)
  })

  it('ends with its reader', async () => {
    const { get, at } = await stage()
    writeFileSync(at('repo/large'), Buffer.alloc(20_000_000))
    const leaving = new AbortController()
    const response = await get('large', {}, { signal: leaving.signal })
    expect(response.status).toBe(200)
    expect(openFiles(at('repo/large'))).toBe(1)
    leaving.abort()
    await expect.poll(() => openFiles(at('repo/large'))).toBe(0)
  })

  it('of a gigabyte costs no more memory than a small one, and waits for its reader', async () => {
    const { at, server } = await stage({ limits: { stalledMs: 300 } })
    const file = openSync(at('repo/large'), 'w')
    ftruncateSync(file, 1024 ** 3)
    closeSync(file)
    const request = [
      'GET /v1/tasks/task-1/files/content?path=large HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${server.token}`,
    ].join('\r\n')
    const before = process.memoryUsage.rss()
    let [peak, bytes] = [before, 0]
    const callback = (count: number) => {
      bytes += count
      peak = Math.max(peak, process.memoryUsage.rss())
      return true
    }
    // The reader has one buffer for all of it.
    const onread = { buffer: Buffer.alloc(1024 ** 2), callback }
    const socket = connectSocket({ port: server.port, host: '127.0.0.1', onread })
    socket.write(`${request}\r\nConnection: close\r\n\r\n`)
    await once(socket, 'close')
    // With the headers before it.
    expect(Math.floor(bytes / 1024 ** 2)).toBe(1024)
    const grown = Math.round((peak - before) / 1024 ** 2)
    process.stdout.write(`1 GB downloaded: at most ${grown} MB more memory\n`)
    expect(grown).toBeLessThan(150)
    // One that takes nothing is disconnected, and its file closed.
    const reader = new RawClient(server.port).send(`${request}\r\n\r\n`)
    expect(await reader.status()).toBe(200)
    reader.socket.pause()
    await expect.poll(() => openFiles(at('repo/large')), { timeout: 10_000 }).toBe(0)
  })
})
