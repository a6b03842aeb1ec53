/** Many that use something at the same time, or one that changes what all of them rely on. */
export class ManyOrOne {
  #using = 0
  #alone: Promise<void> | null = null
  #isFree = Promise.withResolvers<void>()

  async many<T>(work: () => Promise<T>): Promise<T> {
    while (this.#alone) await this.#alone
    this.#using++
    try {
      return await work()
    } finally {
      this.#using--
      if (this.#using === 0) {
        this.#isFree.resolve()
        this.#isFree = Promise.withResolvers()
      }
    }
  }

  async one<T>(work: () => Promise<T>): Promise<T> {
    while (this.#alone || this.#using > 0) await (this.#alone ?? this.#isFree.promise)
    const done = Promise.withResolvers<void>()
    this.#alone = done.promise
    try {
      return await work()
    } finally {
      this.#alone = null
      done.resolve()
    }
  }
}
