import { describe, expect, it } from 'vitest'
import type { EventEnvelope } from '../contract.ts'
import { serve, type TestServer } from '../fixtures/serve.ts'
import type { ApiError } from './api-error.ts'
import { connect } from './client.ts'
import type { FollowOptions } from './follow.ts'

const frame = (n: number) => `{"method":"n","params":{"n":${n}}}`

/** Takes so many, then leaves. */
async function take(server: TestServer, count: number, options: FollowOptions = {}): Promise<number[]> {
  const { tasks } = connect({ url: server.url, token: server.token })
  const seen: number[] = []
  for await (const { seq } of tasks.follow('task-1', options)) if (seen.push(seq) === count) break
  return seen
}

describe('following', () => {
  it('gives stored events, then live ones, and lets go when it is left', async () => {
    const server = await serve()
    for (let n = 1; n <= 3; n++) server.log.append(frame(n))
    const taking = take(server, 4, { after: 1 })
    await expect.poll(() => server.log.followers).toBe(1)
    server.log.append(frame(4))
    server.log.append(frame(5))
    expect(await taking).toEqual([2, 3, 4, 5])
    await expect.poll(() => server.log.followers).toBe(0)
  })

  it('goes on after every loss of the connection, without gap or double', async () => {
    let server = await serve()
    const { port, dataDir, log, service } = server
    const { tasks } = connect({ url: server.url, token: server.token })
    const seen: number[] = []
    const losses: (ApiError | null)[] = []
    const stop = new AbortController()
    const following = (async () => {
      const options = { signal: stop.signal, onReconnect: (lost: ApiError | null) => losses.push(lost) }
      for await (const { seq } of tasks.follow('task-1', options)) seen.push(seq)
    })()
    for (let round = 1; round <= 3; round++) {
      for (let n = 0; n < 10; n++) log.append(frame(n))
      await expect.poll(() => seen.length, { timeout: 10_000 }).toBe(round * 10)
      await server.close()
      server = await serve({ port, dataDir, service })
    }
    stop.abort()
    await following
    expect(seen).toEqual(Array.from({ length: 30 }, (_, index) => index + 1))
    expect(losses.length).toBeGreaterThanOrEqual(2)
  })

  it('drops what it has already given, should a server send it again', async () => {
    const server = await serve()
    server.service.follow = async function* (_, { after, signal }) {
      for (const seq of [1, 2, 2, 1, 3])
        yield { taskId: 'task-1', seq, at: 0, method: 'n', frame: frame(seq) }
      if (after >= 3) await new Promise((resolve) => signal.addEventListener('abort', resolve))
    }
    expect(await take(server, 3)).toEqual([1, 2, 3])
  })

  it('ends quietly with its signal', async () => {
    const server = await serve()
    const stop = new AbortController()
    const taking = take(server, 1, { signal: stop.signal })
    await expect.poll(() => server.log.followers).toBe(1)
    stop.abort()
    expect(await taking).toEqual([])
    await expect.poll(() => server.log.followers).toBe(0)
  })

  it('does not try again what cannot work', async () => {
    const server = await serve()
    const { tasks } = connect({ url: server.url, token: 'wrong' })
    await expect(tasks.follow('task-1').next()).rejects.toMatchObject({ code: 'unauthorized' })
    const known = connect({ url: server.url, token: server.token })
    await expect(known.tasks.follow('other').next()).rejects.toMatchObject({ code: 'task-not-found' })
    server.log.append(frame(1))
    await expect(known.tasks.follow('task-1', { after: 2 }).next()).rejects.toMatchObject({
      code: 'event-not-found',
      message: expect.stringContaining('there is no event 2: this log ends at 1.'),
    })
  })

  it('gives up when its user does', async () => {
    const server = await serve()
    await server.close()
    const onReconnect = (lost: ApiError | null) => {
      throw lost
    }
    await expect(take(server, 1, { onReconnect })).rejects.toMatchObject({ code: 'unreachable' })
  })

  it('of all tasks gives what happens', async () => {
    const server = await serve()
    const { tasks } = connect({ url: server.url, token: server.token })
    const stream = tasks.followAll()
    const next = stream.next()
    await expect.poll(() => server.log.followers).toBe(1)
    server.log.append(frame(1), 'task-9')
    expect(((await next).value as EventEnvelope).taskId).toBe('task-9')
    await stream.return(undefined)
  })
})
