/** How often a client hears of news, and how often it hears that there is none: some give up on a silent call. */
const NEWS_MS = 1_000
const SILENCE_MS = 5_000

/** What a call that waits tells its client meanwhile. Bounded: the newest line wins. */
export class Progress {
  readonly #send: (progress: { progress: number; message: string }) => void
  readonly #startedAt = performance.now()
  readonly #timer: NodeJS.Timeout
  #line = 'waiting'
  #isNew = false
  #sentAt = this.#startedAt

  constructor(send: (progress: { progress: number; message: string }) => void) {
    this.#send = send
    this.#timer = setInterval(() => this.#tick(), NEWS_MS).unref()
  }

  tell(line: string): void {
    this.#line = line
    this.#isNew = true
  }

  end(): void {
    clearInterval(this.#timer)
  }

  #tick(): void {
    const now = performance.now()
    if (!this.#isNew && now - this.#sentAt < SILENCE_MS) return
    this.#isNew = false
    this.#sentAt = now
    // The protocol wants a number that grows.
    this.#send({ progress: Math.round((now - this.#startedAt) / 100) / 10, message: this.#line })
  }
}
