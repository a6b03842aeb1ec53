// Clients that are not ours.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { EventSource } from 'eventsource'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serve, type TestServer } from './fixtures/serve.ts'

const run = promisify(execFile)
const frame = (n: number) => `{"method":"n","params":{"n":${n}}}`

const curl = async ({ token }: TestServer, ...flags: string[]) => {
  const { stdout } = await run('curl', ['-sS', '-H', `Authorization: Bearer ${token}`, ...flags])
  return stdout
}

describe('curl', () => {
  it('starts a task and gets it', async () => {
    const server = await serve()
    const start = ['--json', '{"prompt":"hi","cwd":"/repo"}', `${server.url}/v1/tasks`]
    expect(JSON.parse(await curl(server, ...start))).toMatchObject({ id: 'task-1' })
    expect(JSON.parse(await curl(server, `${server.url}/v1/tasks/task-1`))).toMatchObject({
      status: 'working',
    })
  })

  it('cannot send it as a form', async () => {
    const server = await serve()
    const answer = await curl(server, '-d', '{"prompt":"hi","cwd":"/repo"}', `${server.url}/v1/tasks`)
    expect(JSON.parse(answer)).toMatchObject({ error: { code: 'unsupported-media-type' } })
  })

  it('follows a stream until it has had enough', async () => {
    const server = await serve()
    for (let n = 1; n <= 3; n++) server.log.append(frame(n))
    const stream = `${server.url}/v1/tasks/task-1/events/stream`
    const following = run('curl', [
      '-sN',
      '-H',
      `Authorization: Bearer ${server.token}`,
      '-H',
      'Last-Event-ID: 1',
      stream,
    ])
    await expect.poll(() => server.log.followers).toBe(1)
    await server.close()
    const { stdout } = await following
    expect(stdout.match(/^id: \d+$/gm)).toEqual(['id: 2', 'id: 3'])
    expect(stdout).toMatch(/^: the service is stopping$/m)
  })
})

describe('an EventSource', () => {
  const open = (server: TestServer) => {
    const source = new EventSource(`${server.url}/v1/tasks/task-1/events/stream`, {
      fetch: (address, init) =>
        fetch(address, { ...init, headers: { ...init.headers, authorization: `Bearer ${server.token}` } }),
    })
    onTestFinished(() => source.close())
    const seen: string[] = []
    source.addEventListener('message', ({ lastEventId }) => seen.push(lastEventId))
    return { source, seen }
  }

  it('reconnects after the service was restarted, without gap or double', async () => {
    const server = await serve()
    server.log.append(frame(1))
    const { source, seen } = open(server)
    await expect.poll(() => seen).toEqual(['1'])
    await server.close()
    const again = await serve({ port: server.port, dataDir: server.dataDir })
    for (let n = 1; n <= 3; n++) again.log.append(frame(n))
    await expect.poll(() => seen, { timeout: 10_000 }).toEqual(['1', '2', '3'])
    expect(source.readyState).toBe(source.OPEN)
  })

  it('gives up where there is no such task', async () => {
    const server = await serve()
    const source = new EventSource(`${server.url}/v1/tasks/other/events/stream`)
    const failed = Promise.withResolvers<number | undefined>()
    source.addEventListener('error', ({ code }) => failed.resolve(code))
    expect(await failed.promise).toBe(401)
    expect(source.readyState).toBe(source.CLOSED)
  })
})
