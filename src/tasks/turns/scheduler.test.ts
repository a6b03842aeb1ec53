import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Scheduler, type Slot } from './scheduler.ts'

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }))
afterEach(() => void vi.useRealTimers())

const never = new AbortController().signal

function scheduler(maxWorking: number) {
  const clock = { skewMs: 0 }
  const made = new Scheduler({ maxWorking, now: () => Date.now() + clock.skewMs })
  const entered: string[] = []
  const slots = new Map<string, Slot>()
  const enter = (name: string, { account = 'a', signal = never } = {}) =>
    made.enter({ account, signal }).then((slot) => {
      entered.push(name)
      slots.set(name, slot)
    })
  return { made, enter, entered, slots, clock }
}

describe('places', () => {
  it('are given in the order they were asked for', async () => {
    const { made, enter, entered, slots } = scheduler(2)
    void Promise.all(['1', '2', '3', '4'].map((name) => enter(name)))
    await vi.advanceTimersByTimeAsync(0)
    expect([entered, made.working]).toEqual([['1', '2'], 2])
    slots.get('2')!.leave()
    slots.get('2')!.leave()
    await vi.advanceTimersByTimeAsync(0)
    expect([entered, made.working]).toEqual([['1', '2', '3'], 2])
  })

  it('are somebody else’s while a person is waited for, and taken back without asking', async () => {
    const { made, enter, entered, slots } = scheduler(1)
    void Promise.all([enter('1'), enter('2')])
    await vi.advanceTimersByTimeAsync(0)
    slots.get('1')!.isPaused = true
    slots.get('1')!.isPaused = true
    await vi.advanceTimersByTimeAsync(0)
    expect([entered, made.working]).toEqual([['1', '2'], 1])
    slots.get('1')!.isPaused = false
    expect(made.working).toBe(2)
    slots.get('1')!.isPaused = true
    slots.get('1')!.leave()
    slots.get('1')!.isPaused = false
    expect(made.working).toBe(1)
  })

  it('are not given to those who left the queue', async () => {
    const { enter, entered, slots } = scheduler(1)
    const leaving = new AbortController()
    await enter('1')
    const second = enter('2', { signal: leaving.signal })
    void enter('3')
    leaving.abort(new Error('never mind'))
    await expect(second).rejects.toThrow('never mind')
    await expect(enter('4', { signal: leaving.signal })).rejects.toThrow('never mind')
    slots.get('1')!.leave()
    await vi.advanceTimersByTimeAsync(0)
    expect(entered).toEqual(['1', '3'])
  })

  it('count for what works already, whether there are any or not', async () => {
    const { made, enter, entered } = scheduler(1)
    const first = made.occupy()
    const second = made.occupy()
    void enter('1')
    first.leave()
    await vi.advanceTimersByTimeAsync(0)
    expect(entered).toEqual([])
    second.leave()
    await vi.advanceTimersByTimeAsync(0)
    expect(entered).toEqual(['1'])
  })

  it('are not given any more once it has stopped', async () => {
    const { made, enter, entered } = scheduler(1)
    made.stop()
    void enter('1')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(entered).toEqual([])
  })
})

const heldFor = (ms: number) => ({ until: Date.now() + ms, why: 'the account has hit its limit' })

describe('an account that has hit its limit', () => {
  it('begins at once when somebody knows better', async () => {
    const { made, enter, entered } = scheduler(1)
    made.hold('a', heldFor(5_000))
    void enter('1')
    await vi.advanceTimersByTimeAsync(1)
    expect(entered).toEqual([])
    made.release('a')
    await vi.advanceTimersByTimeAsync(0)
    expect(entered).toEqual(['1'])
  })

  it('is held until then, and others go first', async () => {
    const { made, enter, entered } = scheduler(2)
    made.hold('a', heldFor(5_000))
    void Promise.all([enter('1'), enter('2', { account: 'b' })])
    await vi.advanceTimersByTimeAsync(4_999)
    expect(entered).toEqual(['2'])
    expect(made.holdOf('a')).toEqual(heldFor(1))
    await vi.advanceTimersByTimeAsync(1)
    expect(entered).toEqual(['2', '1'])
    expect(made.holdOf('a')).toBeNull()
  })

  it('is let go even when the timer was early by the clock', async () => {
    const { made, enter, entered, clock } = scheduler(1)
    void made.hold('a', heldFor(5_000))
    void enter('1')
    clock.skewMs = -3
    await vi.advanceTimersByTimeAsync(5_000)
    expect(entered).toEqual([])
    await vi.advanceTimersByTimeAsync(3)
    expect(entered).toEqual(['1'])
  })

  it('is held as long as the longest limit says, also for months', async () => {
    const { made, enter, entered } = scheduler(1)
    const months = 90 * 24 * 3_600_000
    made.hold('a', heldFor(months))
    made.hold('a', heldFor(1_000))
    void enter('1')
    await vi.advanceTimersByTimeAsync(months - 1)
    expect(entered).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(entered).toEqual(['1'])
  })
})
