import type { Codex, Thread, Turn } from '../../codex/index.ts'
import { type Link, type OpenedThread, TokenMeter } from '../link/index.ts'
import { TaskError } from '../model/index.ts'
import { type HeardSettings, heardSettings } from './policy-heard.ts'
import type { Slot } from './scheduler.ts'
import type { Found } from './turn-watch.ts'

/** What is being done for a task. `resting`: nothing, until it is woken. */
export type Stage =
  | 'resting'
  | 'looking'
  | 'queueing'
  | 'beginning'
  | 'watching'
  | 'recovering'
  | 'joining'
  | 'pausing'

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
  readonly failedStarts = { broken: 0, unanswered: 0, away: 0 }
  /** Who wants its turn to end, whether it has begun, has to be found again first, or not even that. */
  interruptedBy: string | null = null
  /** Aborts the waiting for a place or a start. */
  cancel = new AbortController()
  /** Ends what runs before its turn, such as hooks; null: nothing does. */
  preparing: AbortController | null = null
  /** Turns begun elsewhere that the task has yet to take up, oldest first. Some may be its own, found again. */
  readonly elsewhere: Found[] = []
  /** When a turn that was begun elsewhere was taken up. */
  beganAt: number | null = null
  /** The task was lost when the turn was taken up: the messages it has wait for a resume all the same. */
  isHeldBack = false
  /** Since the last turn from here another client had one: it may have changed the rights of the thread. */
  mayBeChanged = false
  readonly #onElsewhere: (run: Run) => void
  #heard: HeardSettings | null = null
  #stopHearing: (() => void) | null = null
  #opened: Opened | null = null
  #opening = Promise.withResolvers<void>()
  #openedOnce: Promise<Opened> | null = null
  #isDropped = false
  #settling: PromiseWithResolvers<void> | null = null
  #isAway = false
  #away = Promise.withResolvers<void>()
  #release: (() => void) | null = null

  /** `onElsewhere` hears that a turn was begun elsewhere. */
  constructor(taskId: string, onElsewhere: (run: Run) => void) {
    this.taskId = taskId
    this.#onElsewhere = onElsewhere
  }

  /** What codex said last of the rights of the thread; null when it has not said. */
  get heard(): HeardSettings | null {
    return this.#heard
  }

  hearSettings(settings: unknown): void {
    this.#heard = heardSettings(settings)
  }

  /** Turns that ended while nobody listened come before those that run. */
  noteElsewhere(found: readonly Found[]): void {
    if (found.length === 0) return
    this.elsewhere.unshift(...found)
    this.#onElsewhere(this)
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

  /** Whoever wants the thread while it is being opened gets that one: of a fork, a second would be another thread. */
  openOnce(open: () => Promise<Opened>): Promise<Opened> {
    this.#openedOnce ??= open().finally(() => {
      this.#openedOnce = null
    })
    return this.#openedOnce
  }

  get isOpening(): boolean {
    return this.#openedOnce !== null
  }

  /** Throws when the task was deleted meanwhile. */
  setOpened({ link, codex, thread, tokens }: OpenedThread): Opened {
    if (this.#isDropped) {
      leave({ codex, thread })
      throw new TaskError('task-not-found', `there is no task ${this.taskId}`)
    }
    this.usage.hear(thread.id, tokens)
    const isFound = thread.activeTurn !== null || thread.joinedTurn !== null
    const opened: Opened = { link, codex, thread, isFound, isClosed: false }
    if (thread !== this.#opened?.thread) this.#heard = heardSettings(thread.settings)
    this.#opened = opened
    this.#listenTo(thread)
    this.#opening.resolve()
    this.#opening = Promise.withResolvers()
    void codex.closed.then(() => {
      opened.isClosed = true
    })
    return opened
  }

  #listenTo(thread: Thread): void {
    this.#stopHearing?.()
    this.#stopHearing = thread.onTurn((turn) => this.#hear(turn))
    for (const turn of new Set([thread.joinedTurn, thread.activeTurn])) if (turn) this.#hear(turn)
  }

  #hear(turn: Turn): void {
    const { origin } = turn
    if (origin === 'client' || origin === 'misplaced' || turn.id === this.turn?.id) return
    turn.discardEvents()
    this.elsewhere.push({ turn })
    this.#onElsewhere(this)
  }

  /** Nobody here deals with the task any more: its thread, open now or in a moment, is left to others. */
  drop(): void {
    this.#isDropped = true
    this.#stopHearing?.()
    this.elsewhere.length = 0
    if (this.open) leave(this.open)
  }

  get isDropped(): boolean {
    return this.#isDropped
  }

  /** codex, or we, have let go of the thread. */
  setClosed(): void {
    if (this.#opened) this.#opened.isClosed = true
  }

  /** A turn runs, is being started, or has to be found again. */
  get hasTurn(): boolean {
    return this.#settling !== null
  }

  /** The machine its codex runs on cannot be reached now. */
  get isAway(): boolean {
    return this.#isAway
  }

  set isAway(isAway: boolean) {
    this.#isAway = isAway
    if (isAway) this.#away.resolve()
    else this.#away = Promise.withResolvers()
  }

  /** Resolves when that machine is found to be away, at once when it is. */
  get whenAway(): Promise<void> {
    return this.#away.promise
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
    this.failedStarts.away = 0
  }

  /** Its turn, if there was one, is settled. */
  endTurn(): void {
    this.letGo()
    this.#settling?.resolve()
    this.#settling = null
  }
}

function leave({ codex, thread }: Pick<Opened, 'codex' | 'thread'>): void {
  void codex.request('thread/unsubscribe', { threadId: thread.id }).catch(() => {})
}

export interface Opened {
  readonly link: Link
  readonly codex: Codex
  readonly thread: Thread
  /** In the middle of a turn: what codex opened it with may not be what it would be asked for now. */
  readonly isFound: boolean
  isClosed: boolean
}
