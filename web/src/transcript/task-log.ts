// The events of one task as far as this page has them: the newest first, older ones on demand, new ones as they come.
import * as calls from '../api/calls.ts'
import type { EventEnvelope } from '../api/contract.ts'
import { openStream, type StreamState } from '../api/event-source.ts'
import { asParams, textOf } from './params.ts'
import { Transcript } from './transcript.ts'

const PAINT_MS = 40
const HIDDEN_MS = 30_000
/** To the start of an item that is still written. */
const MAX_FIRST_PAGES = 20

export interface LogView {
  readonly transcript: Transcript
  readonly events: readonly EventEnvelope[]
  readonly hasOlder: boolean
  readonly isLoaded: boolean
  readonly state: StreamState
  readonly error: unknown
}

export class TaskLog {
  readonly #taskId: string
  readonly #threadId: string | null
  readonly #listeners = new Set<() => void>()
  #events: EventEnvelope[] = []
  #transcript: Transcript
  #hasOlder = false
  #isLoaded = false
  #loading: Promise<void> | null = null
  #isLoadingOlder = false
  #state: StreamState = 'connecting'
  #error: unknown = null
  #view: LogView
  #timer: ReturnType<typeof setTimeout> | undefined
  #hiddenTimer: ReturnType<typeof setTimeout> | undefined
  #closeStream: (() => void) | null = null
  #isClosed = false

  constructor(taskId: string, threadId: string | null) {
    this.#taskId = taskId
    this.#threadId = threadId
    this.#transcript = new Transcript(threadId)
    this.#view = this.#look()
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly view = (): LogView => this.#view

  /** Again after `close`, it goes on from where it was. */
  async open(): Promise<void> {
    this.#isClosed = false
    document.addEventListener('visibilitychange', this.#onVisibility)
    this.#loading ??= this.#load()
    await this.#loading
    if (!this.#isClosed) this.#follow()
  }

  async #load(): Promise<void> {
    try {
      for (let page = 0; page < MAX_FIRST_PAGES; page++) {
        const before = this.#events[0]?.seq ?? Number.MAX_SAFE_INTEGER
        const { events, hasMore } = await calls.tasks.eventsBefore(this.#taskId, before)
        this.#events = [...events, ...this.#events]
        this.#hasOlder = hasMore
        if (!hasMore || !beginsInsideItem(this.#events)) break
      }
      this.#error = null
      this.#isLoaded = true
      this.#refold()
    } catch (error) {
      this.#error = error
    }
    this.#paint()
  }

  close(): void {
    this.#isClosed = true
    document.removeEventListener('visibilitychange', this.#onVisibility)
    clearTimeout(this.#hiddenTimer)
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#closeStream?.()
    this.#closeStream = null
  }

  async loadOlder(): Promise<void> {
    if (!this.#hasOlder || this.#isLoadingOlder) return
    this.#isLoadingOlder = true
    try {
      const { events, hasMore } = await calls.tasks.eventsBefore(this.#taskId, this.#events[0]!.seq)
      this.#events = [...events, ...this.#events]
      this.#hasOlder = hasMore
      this.#refold()
      this.#paint()
    } catch {
      // Scrolling up again tries again.
    } finally {
      this.#isLoadingOlder = false
    }
  }

  #follow(): void {
    this.#closeStream ??= openStream({
      address: () => `/v1/tasks/${encodeURIComponent(this.#taskId)}/events/stream?after=${this.#lastSeq()}`,
      onEvent: (envelope) => {
        if (envelope.seq <= this.#lastSeq()) return
        this.#events.push(envelope)
        this.#transcript.apply(envelope)
        this.#paintSoon()
      },
      onState: (state) => {
        this.#state = state
        this.#paintSoon()
      },
      onRefused: () => void this.#beginAnew(),
    })
  }

  /** After a restored backup the log can end before what this page has seen. */
  async #beginAnew(): Promise<void> {
    const newest = await calls.tasks.eventsBefore(this.#taskId, Number.MAX_SAFE_INTEGER).catch(() => null)
    if (!newest || (newest.events.at(-1)?.seq ?? 0) >= this.#lastSeq()) return
    this.#events = []
    await this.#load()
  }

  #lastSeq(): number {
    return this.#events.at(-1)?.seq ?? 0
  }

  #refold(): void {
    this.#transcript = new Transcript(this.#threadId)
    for (const envelope of this.#events) this.#transcript.apply(envelope)
  }

  /** A browser gives a site six connections: a tab that nobody sees lets go of this one. */
  readonly #onVisibility = (): void => {
    clearTimeout(this.#hiddenTimer)
    if (document.visibilityState === 'visible') return this.#isLoaded ? this.#follow() : undefined
    this.#hiddenTimer = setTimeout(() => {
      this.#closeStream?.()
      this.#closeStream = null
    }, HIDDEN_MS)
  }

  #paintSoon(): void {
    this.#timer ??= setTimeout(() => this.#paint(), PAINT_MS)
  }

  #paint(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#view = this.#look()
    for (const listener of this.#listeners) listener()
  }

  #look(): LogView {
    return {
      transcript: this.#transcript,
      events: this.#events,
      hasOlder: this.#hasOlder,
      isLoaded: this.#isLoaded,
      state: this.#state,
      error: this.#error,
    }
  }
}

/** The first events are deltas of something whose start is on an older page. */
function beginsInsideItem(events: readonly EventEnvelope[]): boolean {
  const begun = new Set<string>()
  for (const { event } of events.slice(0, 200)) {
    const params = asParams(event.params)
    const item = textOf(asParams(params.item).id)
    if (item !== null) begun.add(item)
    const itemId = textOf(params.itemId)
    if (event.method.endsWith('elta') && itemId !== null && !begun.has(itemId)) return true
  }
  return false
}
