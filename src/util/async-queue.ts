/** A queue with one producer that pushes and one consumer that awaits. Iterating it drains it. */
export class AsyncQueue<T> implements AsyncIterableIterator<T> {
  #items: T[] = []
  #head = 0
  #waiting: PromiseWithResolvers<IteratorResult<T, undefined>> | null = null
  #ended = false
  #error: Error | null = null

  /** How many items wait to be taken. */
  get size(): number {
    return this.#items.length - this.#head
  }

  get isEnded(): boolean {
    return this.#ended
  }

  push(item: T): void {
    if (this.#ended) return
    if (this.#waiting) this.#settleWaiting((waiting) => waiting.resolve({ value: item, done: false }))
    else this.#items.push(item)
  }

  /** No more items. What is queued is still delivered, then the end, or the error. */
  end(error: Error | null = null): void {
    if (this.#ended) return
    this.#ended = true
    this.#error = error
    this.#settleWaiting((waiting) => (error ? waiting.reject(error) : waiting.resolve(END)))
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.#head < this.#items.length) return Promise.resolve({ value: this.#take(), done: false })
    if (this.#error) {
      const error = this.#error
      this.#error = null
      return Promise.reject(error)
    }
    if (this.#ended) return Promise.resolve(END)
    if (this.#waiting) return Promise.reject(new TypeError('this queue already has a consumer waiting'))
    this.#waiting = Promise.withResolvers()
    return this.#waiting.promise
  }

  /** The consumer leaves early: nothing more is kept for it. */
  return(): Promise<IteratorResult<T, undefined>> {
    this.#items = []
    this.#head = 0
    this.end()
    this.#error = null
    return Promise.resolve(END)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #take(): T {
    const item = this.#items[this.#head]!
    this.#head++
    if (this.#head === this.#items.length) {
      this.#items = []
      this.#head = 0
    } else if (this.#head >= 1024 && this.#head * 2 > this.#items.length) {
      // Let go of what was taken, at a cost that stays constant per item.
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return item
  }

  #settleWaiting(settle: (waiting: PromiseWithResolvers<IteratorResult<T, undefined>>) => void): void {
    const waiting = this.#waiting
    this.#waiting = null
    if (waiting) settle(waiting)
  }
}

const END: IteratorReturnResult<undefined> = { value: undefined, done: true }
