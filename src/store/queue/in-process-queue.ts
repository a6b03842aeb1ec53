// The queue of a service that has its store to itself: timers.
import { LONGEST_TIMER_MS } from '../../util/longest-timer.ts'
import type { KeyedWork, Period, Queue, QueueOptions, WakeOptions } from './queue.ts'
import { RunningWork } from './running-work.ts'

export class InProcessQueue implements Queue {
  readonly #options: QueueOptions
  readonly #works = new Map<string, KeyedWork>()
  readonly #running = new RunningWork()
  /** By name, key and time. */
  readonly #waiting = new Map<string, NodeJS.Timeout>()
  /** By name: the work that was woken last. */
  readonly #last = new Map<string, Promise<void>>()
  readonly #intervals: NodeJS.Timeout[] = []
  #isStopped = false

  constructor(options: QueueOptions) {
    this.#options = options
  }

  async every(
    name: string,
    { everyMs }: Period,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    await this.on(name, (_, signal) => work(signal))
    let isUnderWay = false
    const begin = async () => {
      if (isUnderWay) return
      isUnderWay = true
      await this.#begin(name, null)
      isUnderWay = false
    }
    void begin()
    this.#intervals.push(setInterval(() => void begin(), everyMs).unref())
  }

  async on(name: string, work: KeyedWork): Promise<void> {
    this.#works.set(name, work)
  }

  async wake(name: string, { key, at, in: change }: WakeOptions = {}): Promise<void> {
    const wait = () => this.#wait(name, key ?? null, at ?? null)
    if (change) change.after(wait)
    else wait()
  }

  async stop(options: { readonly deadlineMs: number }): Promise<void> {
    this.#isStopped = true
    for (const timer of [...this.#intervals, ...this.#waiting.values()]) clearTimeout(timer)
    await this.#running.stop(options)
  }

  #wait(name: string, key: string | null, at: number | null): void {
    const id = JSON.stringify([name, key, at])
    if (this.#isStopped || this.#waiting.has(id)) return
    const leftMs = Math.max(0, (at ?? 0) - this.#options.now())
    const timer = setTimeout(
      () => {
        this.#waiting.delete(id)
        // Timers are bounded, and a clock can be set back.
        if (at !== null && at > this.#options.now()) this.#wait(name, key, at)
        else void this.#begin(name, key)
      },
      Math.min(leftMs, LONGEST_TIMER_MS),
    )
    this.#waiting.set(id, timer.unref())
  }

  /** After what was begun for this name before. Never rejects. */
  #begin(name: string, key: string | null): Promise<void> {
    const before = this.#last.get(name) ?? Promise.resolve()
    const done = before.then(async () => {
      const work = this.#works.get(name)
      if (!work || this.#isStopped) return
      await this.#running.run((signal) => work(key, signal)).catch(this.#options.onError)
    })
    this.#last.set(name, done)
    return done
  }
}
