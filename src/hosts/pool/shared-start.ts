/** One start that several wait for. It is given up when the last of them has left. */
export class SharedStart<T> {
  readonly #controller = new AbortController()
  readonly #promise: Promise<T>
  #waiters = 0

  constructor(start: (signal: AbortSignal) => Promise<T>) {
    const { signal } = this.#controller
    this.#promise = Promise.resolve().then(() => {
      signal.throwIfAborted()
      return start(signal)
    })
    this.#promise.catch(() => {}) // told to whoever waits
  }

  /** It is being undone: too late to join. */
  get isGivenUp(): boolean {
    return this.#controller.signal.aborted
  }

  /** Resolves when it has succeeded, failed, or been undone. */
  async settled(): Promise<void> {
    await this.#promise.catch(() => {})
  }

  async wait(signal: AbortSignal | undefined): Promise<T> {
    signal?.throwIfAborted()
    this.#waiters++
    const left = Promise.withResolvers<never>()
    const onAbort = () => left.reject(signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    try {
      return await Promise.race([this.#promise, left.promise])
    } finally {
      signal?.removeEventListener('abort', onAbort)
      this.#waiters--
      if (this.#waiters === 0) this.#controller.abort(signal?.reason)
    }
  }

  /** Gives up, and resolves when nothing of it is left. */
  async cancel(reason: Error): Promise<void> {
    this.#controller.abort(reason)
    await this.settled()
  }
}
