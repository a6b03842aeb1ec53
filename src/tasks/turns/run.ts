import type { Codex, Thread, Turn } from '../../codex/index.ts'
import { type Link, type OpenedThread, TokenMeter } from '../link/index.ts'
import type { Slot } from './scheduler.ts'

/** What is being done for a task. `resting`: nothing, until it is woken. */
export type Stage = 'resting' | 'looking' | 'queueing' | 'beginning' | 'watching' | 'recovering' | 'pausing'

/** What is in memory about a task that is, or was lately, at work. Everything that counts is in the store. */
export class Run {
  readonly taskId: string
  stage: Stage = 'resting'
  /** Woken since it last looked: it looks again before it rests. */
  isWoken = false
  turn: Turn | null = null
  slot: Slot | null = null
  readonly usage = new TokenMeter()
  /** Items of the current turn by all their names, and turns, that the log has as completed. */
  readonly completed = new Set<string>()
  /** Messages that are on their way into the turn now; whoever sends them sees to what becomes of them. */
  readonly steering = new Set<string>()
  /** Starts in a row that came to nothing: the connection broke, or codex did not answer. */
  readonly failedStarts = { broken: 0, unanswered: 0 }
  /** Who wants its turn to end, whether it has begun, has to be found again first, or not even that. */
  interruptedBy: string | null = null
  /** Aborts the waiting for a place or a start. */
  cancel = new AbortController()
  #opened: Opened | null = null
  #opening = Promise.withResolvers<void>()
  #settling: PromiseWithResolvers<void> | null = null
  #release: (() => void) | null = null

  constructor(taskId: string) {
    this.taskId = taskId
  }

  /** The thread as it was opened last, whether it still is or not. */
  get opened(): Opened | null {
    return this.#opened
  }

  /** The thread, open on a connection that stands; null when it is not. */
  get open(): Opened | null {
    const opened = this.#opened
    return opened && !opened.isClosed && opened.link.appServer.isAlive() ? opened : null
  }

  setOpened({ link, codex, thread, tokens }: OpenedThread): Opened {
    this.usage.hear(thread.id, tokens)
    const isFound = thread.activeTurn !== null || thread.joinedTurn !== null
    const opened: Opened = { link, codex, thread, isFound, isClosed: false }
    this.#opened = opened
    this.#opening.resolve()
    this.#opening = Promise.withResolvers()
    void codex.closed.then(() => {
      opened.isClosed = true
    })
    return opened
  }

  /** codex, or we, have let go of the thread. */
  setClosed(): void {
    if (this.#opened) this.#opened.isClosed = true
  }

  /** A turn runs, is being started, or has to be found again. */
  get hasTurn(): boolean {
    return this.#settling !== null
  }

  /** Resolves when the turn that runs, or begins, has been settled in the store; at once when there is none. */
  get settled(): Promise<void> {
    return this.#settling?.promise ?? Promise.resolve()
  }

  beginTurn(): void {
    this.#settling ??= Promise.withResolvers()
  }

  /** The thread on a connection that stands, now or when it is found again; null when its turn was settled before. */
  async whenOpen(): Promise<Thread | null> {
    let isSettled = false
    const settled = this.settled.then(() => {
      isSettled = true
    })
    while (!this.open && !isSettled) await Promise.race([this.#opening.promise, settled])
    return this.open?.thread ?? null
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

  /** Its place and its app-server are for others now. */
  letGo(): void {
    this.#release?.()
    this.#release = null
    this.slot?.leave()
    this.slot = null
    this.turn = null
  }

  forgetFailedStarts(): void {
    this.failedStarts.broken = 0
    this.failedStarts.unanswered = 0
  }

  /** Its turn, if there was one, is settled. */
  endTurn(): void {
    this.letGo()
    this.#settling?.resolve()
    this.#settling = null
  }
}

export interface Opened {
  readonly link: Link
  readonly codex: Codex
  readonly thread: Thread
  /** In the middle of a turn: what codex opened it with may not be what it would be asked for now. */
  readonly isFound: boolean
  isClosed: boolean
}
