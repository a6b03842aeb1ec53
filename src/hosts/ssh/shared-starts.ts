import { SharedStart } from '../pool/shared-start.ts'
import { Permits } from './permits.ts'

/** Those who want the same share one start; different ones happen one after the other. */
export class SharedStarts<T> {
  readonly #starts = new Map<string, SharedStart<T>>()
  readonly #oneAtATime = new Permits(1)

  open(
    key: string,
    start: (signal: AbortSignal) => Promise<T>,
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<T> {
    const current = this.#starts.get(key)
    return (current && !current.isGivenUp ? current : this.#begin(key, start)).wait(signal)
  }

  #begin(key: string, start: (signal: AbortSignal) => Promise<T>): SharedStart<T> {
    const begun = new SharedStart(async (signal) => {
      const letGo = await this.#oneAtATime.take(signal)
      try {
        return await start(signal)
      } finally {
        letGo()
      }
    })
    this.#starts.set(key, begun)
    void begun.settled().then(() => {
      if (this.#starts.get(key) === begun) this.#starts.delete(key)
    })
    return begun
  }
}
