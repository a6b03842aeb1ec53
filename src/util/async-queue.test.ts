import { describe, expect, it } from 'vitest'
import { AsyncQueue } from './async-queue.ts'

async function drain<T>(queue: AsyncQueue<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of queue) items.push(item)
  return items
}

describe('AsyncQueue', () => {
  it('delivers in order what came before and after the consumer', async () => {
    const queue = new AsyncQueue<number>()
    for (let index = 0; index < 3_000; index++) queue.push(index)
    const drained = drain(queue)
    await Promise.resolve()
    for (let index = 3_000; index < 6_000; index++) queue.push(index)
    queue.end()
    queue.push(-1)
    expect(await drained).toEqual(Array.from({ length: 6_000 }, (_, index) => index))
  })

  it('delivers what is queued before it throws the error it ended with, once', async () => {
    const queue = new AsyncQueue<number>()
    queue.push(1)
    queue.end(new Error('died'))
    expect(await queue.next()).toEqual({ value: 1, done: false })
    await expect(queue.next()).rejects.toThrow('died')
    expect(await queue.next()).toEqual({ value: undefined, done: true })
  })

  it('wakes a consumer that waits when it ends', async () => {
    const queue = new AsyncQueue<number>()
    const waiting = queue.next()
    queue.end()
    expect(await waiting).toEqual({ value: undefined, done: true })
  })

  it('refuses a second consumer instead of starving the first', async () => {
    const queue = new AsyncQueue<number>()
    const first = queue.next()
    await expect(queue.next()).rejects.toThrow('already has a consumer')
    queue.push(7)
    expect(await first).toEqual({ value: 7, done: false })
  })

  it('keeps nothing once its consumer has left', async () => {
    const queue = new AsyncQueue<number>()
    queue.push(1)
    for await (const _ of queue) break
    queue.push(2)
    expect(queue.size).toBe(0)
    expect(queue.isEnded).toBe(true)
  })
})
