import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { LONGEST_TIMER_MS } from '../../util/longest-timer.ts'
import { InProcessQueue } from './in-process-queue.ts'

const HOUR_MS = 60 * 60 * 1000

describe('the queue of one service', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  function open() {
    const onError = vi.fn()
    return { onError, queue: new InProcessQueue({ now: Date.now, onError }) }
  }

  it('does periodic work now and every hour, never two at a time', async () => {
    const { queue } = open()
    let running = 0
    const work = vi.fn(async () => {
      expect(++running).toBe(1)
      await new Promise((resolve) => setTimeout(resolve, 1.5 * HOUR_MS))
      running--
    })
    await queue.every('prune', { everyMs: HOUR_MS }, work)
    await vi.advanceTimersByTimeAsync(0)
    expect(work).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(4 * HOUR_MS)
    expect(work).toHaveBeenCalledTimes(3)
  })

  it('keeps one wake-up for each key and time waiting', async () => {
    const { queue } = open()
    const done: (string | null)[] = []
    await queue.on('work', async (key) => void done.push(key))
    for (const key of ['a', 'b', 'a', undefined]) await queue.wake('work', { key })
    for (let count = 0; count < 3; count++) await queue.wake('work', { key: 'a', at: Date.now() + 500 })
    await queue.wake('nobody listens')
    await vi.advanceTimersByTimeAsync(499)
    expect(done).toEqual(['a', 'b', null])
    await vi.advanceTimersByTimeAsync(1)
    expect(done).toEqual(['a', 'b', null, 'a'])
  })

  it('waits longer than a timer can', async () => {
    const { queue } = open()
    const work = vi.fn(async () => {})
    await queue.on('work', work)
    await queue.wake('work', { at: Date.now() + LONGEST_TIMER_MS + HOUR_MS })
    await vi.advanceTimersByTimeAsync(LONGEST_TIMER_MS)
    expect(work).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(HOUR_MS)
    expect(work).toHaveBeenCalledOnce()
  })

  it('wakes after the change it is a part of', async () => {
    const { queue } = open()
    const work = vi.fn(async () => {})
    await queue.on('work', work)
    const effects: (() => void)[] = []
    await queue.wake('work', { in: { db: null as never, after: (effect) => effects.push(effect) } })
    await vi.advanceTimersByTimeAsync(10)
    expect(work).not.toHaveBeenCalled()
    for (const effect of effects) effect()
    await vi.advanceTimersByTimeAsync(0)
    expect(work).toHaveBeenCalledOnce()
  })

  it('reports work that fails, and goes on', async () => {
    const { queue, onError } = open()
    const work = vi.fn(async () => Promise.reject(new Error('no')))
    await queue.every('prune', { everyMs: HOUR_MS }, work)
    await vi.advanceTimersByTimeAsync(HOUR_MS)
    expect(work).toHaveBeenCalledTimes(2)
    expect(onError.mock.calls).toEqual([[new Error('no')], [new Error('no')]])
  })

  it('lets work end within the deadline, then aborts it, and begins nothing more', async () => {
    const { queue, onError } = open()
    const ends: string[] = []
    await queue.on('short', async () => {
      await new Promise((resolve) => setTimeout(resolve, 50))
      ends.push('short')
    })
    await queue.on('long', async (_, signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      ends.push(String(signal.reason))
    })
    for (const name of ['short', 'long']) await queue.wake(name)
    await vi.advanceTimersByTimeAsync(0)
    await queue.wake('short', { at: Date.now() + 10 })
    const stopped = queue.stop({ deadlineMs: 100 })
    await queue.wake('long', { key: 'too late' })
    await vi.advanceTimersByTimeAsync(100)
    await stopped
    expect(ends).toEqual(['short', 'Error: the service is stopping'])
    expect(onError).not.toHaveBeenCalled()
  })

  it('does not wait for ever for work that ignores its signal', async () => {
    const { queue } = open()
    await queue.every('stuck', { everyMs: HOUR_MS }, () => new Promise(() => {}))
    await vi.advanceTimersByTimeAsync(0)
    const stopped = queue.stop({ deadlineMs: 0 })
    await vi.advanceTimersByTimeAsync(5_000)
    await stopped
  })
})
