import type { Codex, Thread, Turn } from '../codex/index.ts'
import type { Link } from './links.ts'
import type { OpenedThread } from './open-thread.ts'
import type { Slot } from './scheduler.ts'
import { TokenMeter } from './token-meter.ts'

/** What is in memory about a task that is, or was lately, at work. Everything that counts is in the store. */
export class Run {
  readonly taskId: string
  /** Whether somebody is seeing to its messages already. */
  isDriven = false
  link: Link | null = null
  codex: Codex | null = null
  thread: Thread | null = null
  turn: Turn | null = null
  slot: Slot | null = null
  readonly usage = new TokenMeter()
  /** Items of the current turn by all their names, and turns, that the log has as completed. */
  readonly completed = new Set<string>()
  /** Messages that are on their way into the turn now; whoever sends them sees to what becomes of them. */
  readonly steering = new Set<string>()
  /** How often in a row the connection broke while a turn was being started. */
  brokenStarts = 0
  /** How often it was to begin and codex did not answer. */
  starts = 0
  /** How long it waits before it is started again. */
  retryAfterMs = 0
  /** It broke just now. */
  mustRecover = false
  /** Somebody has something for it; asked again when the one who sees to it is about to leave. */
  mustLook = false
  /** It was to be interrupted before its turn had begun. */
  isInterruptWanted = false
  /** Who wanted it. */
  interruptedBy: string | null = null
  /** Aborts the waiting for a place or a start. */
  cancel = new AbortController()
  /** Resolves when the turn that runs now has been settled in the store. */
  settled: Promise<void> = Promise.resolve()
  #release: (() => void) | null = null
  #opening = Promise.withResolvers<void>()

  constructor(taskId: string) {
    this.taskId = taskId
  }

  /** The thread is open on a connection that stands. */
  get isOpen(): boolean {
    return this.thread !== null && !this.isClosed && (this.link?.appServer.isAlive() ?? false)
  }

  isClosed = false

  /** It was found in the middle of a turn: what codex opened it with may not be what it would be asked for now. */
  mustReopen = false

  opened({ link, codex, thread, tokens }: OpenedThread): void {
    this.usage.hear(thread.id, tokens)
    this.link = link
    this.codex = codex
    this.thread = thread
    this.isClosed = false
    this.mustReopen = thread.activeTurn !== null || thread.joinedTurn !== null
    this.#opening.resolve()
    this.#opening = Promise.withResolvers()
    void codex.closed.then(() => {
      if (this.codex === codex) this.isClosed = true
    })
  }

  /** The thread on a connection that stands, now or when it is found again; null when its turn was settled before. */
  async whenOpen(): Promise<Thread | null> {
    let isSettled = false
    const settled = this.settled.then(() => {
      isSettled = true
    })
    while (!this.isOpen && !isSettled) await Promise.race([this.#opening.promise, settled])
    return this.isOpen ? this.thread : null
  }

  /** Its app-server is not ended while it works. */
  hold(link: Link): void {
    this.#release?.()
    this.#release = link.appServer.hold()
  }

  /** A task that waits for a person does not count as working. */
  pause(isWaiting: boolean): void {
    if (this.slot) this.slot.isPaused = isWaiting
  }

  letGo(): void {
    this.#release?.()
    this.#release = null
    this.slot?.leave()
    this.slot = null
    this.turn = null
  }
}
