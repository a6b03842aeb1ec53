// Our own requests: who waits for which id, how many are on the wire, who is next.

/** One request of ours, from the moment it is made until it settles. It settles once; later attempts do nothing. */
export class Call {
  readonly method: string
  readonly params: unknown
  /** How often codex has turned it away as overloaded. */
  retries = 0
  /** 0 until it is first sent. A retry gets a new one. */
  id = 0
  readonly #settle: (call: Call) => void
  readonly #resolve: (result: unknown) => void
  readonly #reject: (reason: unknown) => void
  #cleanup: () => void = noop
  #isSettled = false

  constructor(
    request: { method: string; params: unknown },
    waiter: { resolve: (result: unknown) => void; reject: (reason: unknown) => void },
    settle: (call: Call) => void,
  ) {
    this.method = request.method
    this.params = request.params
    this.#resolve = waiter.resolve
    this.#reject = waiter.reject
    this.#settle = settle
  }

  get isSettled(): boolean {
    return this.#isSettled
  }

  /** Runs when the call settles, in whatever way. */
  onSettled(cleanup: () => void): void {
    this.#cleanup = cleanup
  }

  resolve(result: unknown): void {
    if (this.#end()) this.#resolve(result)
  }

  reject(reason: unknown): void {
    if (this.#end()) this.#reject(reason)
  }

  #end(): boolean {
    if (this.#isSettled) return false
    this.#isSettled = true
    this.#cleanup()
    this.#settle(this)
    return true
  }
}

/** Holds every unsettled call. At most `maxInFlight` are on the wire or backing off; the rest wait in order. */
export class PendingCalls {
  readonly #maxInFlight: number
  readonly #send: (call: Call) => void
  readonly #queue = new Set<Call>()
  readonly #active = new Set<Call>()
  readonly #byId = new Map<number, Call>()
  #lastId = 0

  constructor(maxInFlight: number, send: (call: Call) => void) {
    this.#maxInFlight = maxInFlight
    this.#send = send
  }

  get load(): { inFlight: number; queued: number } {
    return { inFlight: this.#active.size, queued: this.#queue.size }
  }

  /** Queues a call; `pump` sends it when there is room. */
  add(request: ConstructorParameters<typeof Call>[0], waiter: ConstructorParameters<typeof Call>[1]): Call {
    const call = new Call(request, waiter, (settled) => this.#forget(settled))
    this.#queue.add(call)
    return call
  }

  pump(): void {
    for (const call of this.#queue) {
      if (this.#active.size >= this.#maxInFlight) return
      this.#queue.delete(call)
      this.#active.add(call)
      this.send(call)
    }
  }

  /** Puts an active call on the wire under a fresh id. */
  send(call: Call): void {
    this.#byId.delete(call.id)
    call.id = ++this.#lastId
    this.#byId.set(call.id, call)
    try {
      this.#send(call)
    } catch (error) {
      call.reject(error)
    }
  }

  get(id: unknown): Call | undefined {
    return this.#byId.get(id as number)
  }

  /** Whether this id was ours once: its caller gave up, or it was answered before. */
  wasSent(id: unknown): boolean {
    return typeof id === 'number' && Number.isInteger(id) && id > 0 && id <= this.#lastId
  }

  rejectAll(reason: unknown): void {
    const calls = [...this.#active, ...this.#queue]
    this.#queue.clear()
    for (const call of calls) call.reject(reason)
  }

  #forget(call: Call): void {
    this.#byId.delete(call.id)
    this.#queue.delete(call)
    if (this.#active.delete(call)) this.pump()
  }
}

function noop(): void {}
