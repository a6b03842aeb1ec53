// Text on its way to one reader: appended by whoever has it, taken in as large pieces as the reader lets gather.

export class ReaderBuffer {
  /** What the reader sees. Nothing is made ready before it asks. */
  readonly body: ReadableStream<Uint8Array>
  readonly #now: () => number
  readonly #onGone: () => void
  readonly #encoder = new TextEncoder()
  #text = ''
  #isEnded = false
  #takenAt: number
  #ready: PromiseWithResolvers<void> | null = null
  #taken: PromiseWithResolvers<void> | null = null

  /** `onGone`: the reader has left. */
  constructor({ now, onGone }: { now: () => number; onGone: () => void }) {
    this.#now = now
    this.#onGone = onGone
    this.#takenAt = now()
    this.body = new ReadableStream(
      { pull: (controller) => this.#pull(controller), cancel: () => this.#leave() },
      { highWaterMark: 0 },
    )
  }

  /** Characters that wait. */
  get size(): number {
    return this.#text.length
  }

  /** How long the reader has left something lying. */
  get stalledMs(): number {
    return this.#text === '' ? 0 : this.#now() - this.#takenAt
  }

  append(text: string): void {
    if (this.#isEnded) return
    if (this.#text === '') this.#takenAt = Math.max(this.#takenAt, this.#now())
    this.#text += text
    this.#wake()
  }

  /** What was appended is still delivered. */
  end(): void {
    this.#isEnded = true
    this.#wake()
  }

  /** Resolves when nothing waits any more, or the reader has gone. */
  async drained(): Promise<void> {
    if (this.#text === '') return
    this.#taken ??= Promise.withResolvers()
    await this.#taken.promise
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    if (this.#text === '' && !this.#isEnded) {
      this.#ready = Promise.withResolvers()
      await this.#ready.promise
    }
    const text = this.#text
    this.#clear()
    if (text !== '') controller.enqueue(this.#encoder.encode(text))
    if (this.#isEnded) controller.close()
  }

  #clear(): void {
    this.#text = ''
    this.#takenAt = this.#now()
    this.#taken?.resolve()
    this.#taken = null
  }

  #leave(): void {
    this.#isEnded = true
    this.#clear()
    this.#wake()
    this.#onGone()
  }

  /** In a moment: whatever else is ready by then goes out with it. */
  #wake(): void {
    const ready = this.#ready
    if (ready === null) return
    this.#ready = null
    setImmediate(() => ready.resolve())
  }
}
