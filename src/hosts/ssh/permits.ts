/** So many at a time; the others wait in order. */
export class Permits {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  /** Gives how to let go of it. */
  async take(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    if (this.#free > 0) this.#free--
    else await this.#turn(signal)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free++
    }
  }

  async #turn(signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const onAbort = () => {
      this.#waiting.splice(this.#waiting.indexOf(resolve), 1)
      reject(signal?.reason)
    }
    this.#waiting.push(resolve)
    signal?.addEventListener('abort', onAbort, { once: true })
    try {
      await promise
    } finally {
      signal?.removeEventListener('abort', onAbort)
    }
  }
}
