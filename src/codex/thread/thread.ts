import { MAX_ENDS_KEPT, MAX_TURNS_REMEMBERED, TURN_APPEARS_MS } from '../defaults.ts'
import {
  hasCode,
  isStaleTurn,
  RequestTimeoutError,
  replyText,
  StaleTurnError,
  ThreadBusyError,
  type TransportClosedError,
} from '../errors/index.ts'
import type { PathFacts } from '../host.ts'
import { type Escalation, type Protection, type ThreadPolicy, ThreadRights } from '../policy/index.ts'
import type { CodexNotification, protocol } from '../protocol/index.ts'
import type { ThreadApprovals } from '../requests/index.ts'
import type { ThreadTools } from '../tools/index.ts'
import { realFolder } from './allowed-paths.ts'
import { turnIn } from './environments.ts'
import { type TurnInput, userInput } from './input.ts'
import { refuseUnplaced } from './placement.ts'
import { refuseBadFolder, refuseUnknownEffort } from './refuse-before.ts'
import { SentSteers } from './sent-steers.ts'
import type { Steered, SteerOptions } from './steer.ts'
import type { ThreadListener } from './thread-listener.ts'
import type { PlacedEnvironment, ThreadParts, ThreadPlace } from './thread-parts.ts'
import { NO_TOKENS } from './token-usage.ts'
import { Turn, type TurnLimits, type TurnOrigin } from './turn.ts'
import type { TurnContext } from './turn-context.ts'
import { beginsTurn, turnIdOf } from './turn-of-notification.ts'
import { type TurnOptions, turnOverrides } from './turn-options.ts'
import type { LossCause, TokenUsage } from './turn-outcome.ts'
import { TurnQueue } from './turn-queue.ts'

/** What codex said about the thread when it was opened: the policy in force, the model, the folder. */
export type ThreadSettings = Omit<protocol.v2.ThreadStartResponse, 'thread'>

/** One codex thread on this client. Routes the thread's notifications to the turn they belong to. */
export class Thread {
  readonly id: string
  readonly settings: ThreadSettings
  /** Who answers its tool calls. codex learns of other tools only when it opens the thread anew. */
  tools: ThreadTools | null
  /** Turns that wait for the thread to be free. */
  readonly queue: TurnQueue
  readonly #context: TurnContext
  #approvals: ThreadApprovals | null
  #listener: ThreadListener | null
  readonly #rights: ThreadRights
  #place: Pick<ThreadPlace, 'paths' | 'environment'>
  /** Of the turn that was started last, what ends with it. */
  #lastOptions: Pick<TurnOptions, 'outputSchema' | 'timeoutMs' | 'signal'> = {}
  /** Questions that codex does not wait for, until they and their answers are dealt with. */
  readonly #unanswered = new Set<Promise<void>>()
  readonly #turns = new Map<string, Turn>()
  /** Those that ended last. Not held: the events of one that nobody iterates go when its last user lets go of it. */
  readonly #ended = new Map<string, WeakRef<Turn>>()
  readonly #listeners = new Set<(turn: Turn) => void>()
  readonly #steers = new SentSteers<Steered>()
  /** The end of turns we do not know: one of them may be the turn that is being joined. */
  readonly #unplacedEnds = new Map<string, CodexNotification>()
  #joinedTurn: Turn | null = null
  /** While a turn is being started: what arrived for turns we do not know yet, because it may be that one. */
  #early: CodexNotification[] | null = null
  #announced: PromiseWithResolvers<string> | null = null
  #idle: PromiseWithResolvers<void> | null = null
  /** What the thread has used so far, by codex's own count; null until it says. */
  #used: TokenUsage | null
  #lost: { reason: TransportClosedError; cause: LossCause } | null = null

  constructor(
    id: string,
    { settings, policy, approvals, listener, tools, rights, context, paths, environment, isNew }: ThreadParts,
  ) {
    this.id = id
    this.settings = settings
    this.#place = { paths, environment }
    this.#approvals = approvals
    this.#listener = listener
    this.tools = tools
    this.#rights = new ThreadRights(policy, settings, rights)
    this.#context = context
    this.#used = isNew ? NO_TOKENS : null
    this.queue = new TurnQueue({
      start: (input, options) => this.startTurn(input, options),
      whenIdle: () => this.#whenIdle(),
      isBusy: () => this.isBusy,
    })
  }

  /** What was asked for, with what later turns changed for good. Store it; `resumeThread(id, policy)` restores it. */
  get policy(): ThreadPolicy {
    return this.#rights.policy
  }

  /** The rules that answer for this thread and its sub-agents before anybody is asked; null when none do. */
  get approvals(): ThreadApprovals | null {
    return this.#approvals
  }

  /** From the next question on. Not told to codex. */
  setApprovals(approvals: ThreadApprovals | null): void {
    this.#approvals = approvals
  }

  /** Receives the notifications, questions and incidents of the thread and its sub-agents; null: none is set. */
  get listener(): ThreadListener | null {
    return this.#listener
  }

  setListener(listener: ThreadListener | null): void {
    this.#listener = listener
  }

  /** Where it works, as rules understand it: its folder, and what codex says it may write to. */
  get workspaceRoots(): readonly string[] {
    return this.#rights.workspaceRoots
  }

  /** Of the machine its commands run on. */
  get paths(): PathFacts {
    return this.#place.paths
  }

  /** The other machine that its commands run on; null: codex's own. */
  get environment(): PlacedEnvironment | null {
    return this.#place.environment
  }

  /** Called by the client when it is resumed again. What commands may not read there is known since it was opened. */
  setPlace({ paths, environment }: ThreadPlace): void {
    this.#place = { paths, environment }
  }

  /** The sandbox its turns run in, as far as codex has said or was told. */
  get sandbox(): protocol.v2.SandboxPolicy {
    return this.#rights.sandbox
  }

  /** The sandbox that a turn with these options runs in, and what it is sent of its rights. */
  rightsOf(options: TurnOptions): Promise<Pick<ReturnType<ThreadRights['ofTurn']>, 'params' | 'sandbox'>> {
    return this.#rightsOf(turnOverrides(options))
  }

  /** What a command can reach that somebody approves. */
  get escalation(): Escalation {
    return this.#rights.escalation
  }

  /** The profile that keeps its commands from logins; null when the folder is trusted, or this codex has none. */
  get protection(): Protection | null {
    return this.#rights.protection
  }

  /** The turn that runs now, whoever started it. */
  get activeTurn(): Turn | null {
    for (const turn of this.#turns.values()) if (!turn.hasEnded) return turn
    return null
  }

  /** A turn runs here or is being started. */
  get isBusy(): boolean {
    return this.#early !== null || this.activeTurn !== null
  }

  /** The turn that ran when the thread was resumed, also when it has ended since. */
  get joinedTurn(): Turn | null {
    return this.#joinedTurn
  }

  /** Calls back for every turn that begins here, also those codex starts by itself. Returns how to stop. */
  onTurn(listener: (turn: Turn) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Starts a turn. Rejects while another runs here: codex would silently fold the input into that one. */
  startTurn(input: TurnInput, options: TurnOptions = {}): Promise<Turn> {
    const { timeoutMs, signal, outputSchema } = options
    if (signal?.aborted) return Promise.reject(signal.reason)
    return this.#start({ timeoutMs, signal, hasOutputSchema: outputSchema != null }, async () => {
      const overrides = turnOverrides(options)
      await refuseBadFolder(overrides.cwd, this.paths)
      await refuseUnknownEffort(overrides.effort, this.#context.request)
      const { params, taken } = await this.#rightsOf(overrides)
      const items = await userInput(input, this.#context)
      const there = await turnIn(this.environment, params, this.#rights)
      this.#place = { ...this.#place, environment: there.environment }
      const request = { ...there.params, threadId: this.id, input: items }
      const reply = await this.#context.request('turn/start', request)
      taken()
      this.environment?.placement.begun()
      this.#lastOptions = { outputSchema, timeoutMs, signal }
      return replyText(reply?.turn?.id, { method: 'turn/start', field: 'turn.id' })
    })
  }

  /**
   * Gives the running turn more input. When it has just ended: `queue` makes it the next turn, `error` rejects with a
   * `StaleTurnError`. Sent once per `clientMessageId`, however often it is called.
   */
  steer(input: TurnInput, options: SteerOptions): Promise<Steered> {
    return this.#steers.once(options.clientMessageId, () => this.#steer(input, options))
  }

  /** Resolves when no turn runs or waits here, and no question that codex does not wait for is still open. */
  async whenQuiet(): Promise<void> {
    do {
      await this.#whenIdle()
      await Promise.all(this.#unanswered)
    } while (this.isBusy || this.queue.waiting.length > 0 || this.#unanswered.size > 0)
  }

  /** Reviews changes in this thread, as a turn. */
  review(target: protocol.v2.ReviewTarget, limits: Omit<TurnLimits, 'hasOutputSchema'> = {}): Promise<Turn> {
    return this.#start({ ...limits, hasOutputSchema: false }, async () => {
      refuseUnplaced(this.environment)
      const request = { threadId: this.id, target, delivery: 'inline' } as const
      const reply = await this.#context.request('review/start', request)
      return replyText(reply?.turn?.id, { method: 'review/start', field: 'turn.id' })
    })
  }

  /** Compacts the thread's context, as a turn. codex does not say which, so the next one it announces it is. */
  compact(limits: Omit<TurnLimits, 'hasOutputSchema'> = {}): Promise<Turn> {
    return this.#start({ ...limits, hasOutputSchema: false }, async () => {
      await this.#context.request('thread/compact/start', { threadId: this.id })
      return this.#announcedTurn('thread/compact/start')
    })
  }

  /** Called by the client: a question that codex does not wait for is being dealt with. */
  awaitAnswer(settled: Promise<void>): void {
    this.#unanswered.add(settled)
    void settled.finally(() => this.#unanswered.delete(settled))
  }

  /** Called by the client with the answer: into the turn that runs, else a turn like the last one. */
  async answer(text: string, { clientMessageId }: { clientMessageId: string }): Promise<void> {
    const steered = await this.#steer(text, { whenStale: 'queue', clientMessageId }, this.#lastOptions)
    if ('queued' in steered) await steered.queued.turn
  }

  /** Called by the client: a turn that ran before we came. Its end can arrive before codex has told us of it. */
  join(turnId: string): void {
    const turn = this.#turnOf(turnId) ?? this.#adopt(turnId, 'codex')
    this.#joinedTurn = turn
    const end = this.#unplacedEnds.get(turnId)
    if (end && !turn.hasEnded) turn.receive(end)
    this.#unplacedEnds.delete(turnId)
  }

  /** Called by the client, on the reader. */
  receive(notification: CodexNotification): void {
    const turnId = turnIdOf(notification.params)
    const turn = turnId === undefined ? this.activeTurn : this.#turnOf(turnId)
    const isOver = turnId !== undefined && this.#ended.has(turnId)
    if (!turn && !isOver && this.#early) return this.#keepEarly(notification)
    if (turn) turn.receive(notification)
    else if (turnId !== undefined && !isOver && beginsTurn(notification.method))
      this.#adopt(turnId, 'codex').receive(notification)
    else if (turnId !== undefined && !isOver && notification.method === 'turn/completed')
      this.#keepEnd(turnId, notification)
    if (notification.method === 'thread/tokenUsage/updated')
      this.#used = notification.params.tokenUsage?.total ?? this.#used
  }

  /** Called by the client for what a sub-agent of one of our turns does. */
  receiveFromSubAgent(turnId: string, notification: CodexNotification): void {
    this.#turns.get(turnId)?.receiveFromSubAgent(notification)
  }

  /** Called by the client when the connection has ended. */
  lose(reason: TransportClosedError, cause: LossCause): void {
    this.#lost = { reason, cause }
    this.queue.cancelAll(reason)
    this.#announced?.reject(reason)
    for (const turn of this.#turns.values()) turn.lose(reason, cause)
  }

  async #rightsOf(overrides: ReturnType<typeof turnOverrides>): Promise<ReturnType<ThreadRights['ofTurn']>> {
    return this.#rights.ofTurn(overrides, await realFolder(this.#rights.folderOf(overrides), this))
  }

  async #start(limits: TurnLimits, begin: () => Promise<string>): Promise<Turn> {
    if (this.environment?.placement.clearing) await this.environment.placement.clearing
    if (this.isBusy) throw new ThreadBusyError(this.id)
    this.#early = []
    try {
      const turnId = await begin()
      // Another client's turn, or one codex began by itself, may have got in first: our input went to that one.
      const turn = this.#turns.get(turnId) ?? this.#adopt(turnId, 'client')
      this.#deliverEarly()
      turn.limit(limits)
      return turn
    } catch (error) {
      this.#deliverEarly()
      // Only the reply was lost: what began all the same is held to the limits it was given.
      if (hasCode(error, 'request-timeout')) this.activeTurn?.limit(limits)
      throw error
    } finally {
      this.#deliverEarly()
      this.#becomeIdle()
    }
  }

  #keepEnd(turnId: string, notification: CodexNotification): void {
    this.#unplacedEnds.set(turnId, notification)
    if (this.#unplacedEnds.size > MAX_ENDS_KEPT)
      this.#unplacedEnds.delete(this.#unplacedEnds.keys().next().value!)
  }

  #keepEarly(notification: CodexNotification): void {
    this.#early!.push(notification)
    const turnId = turnIdOf(notification.params)
    if (notification.method === 'turn/started' && turnId !== undefined) this.#announced?.resolve(turnId)
  }

  /** The id of the turn that codex announces next, or has announced since the start. */
  async #announcedTurn(method: string): Promise<string> {
    const announced = Promise.withResolvers<string>()
    this.#announced = announced
    for (const early of this.#early?.splice(0) ?? []) this.#keepEarly(early)
    const late = new RequestTimeoutError(method, TURN_APPEARS_MS)
    const timer = setTimeout(() => announced.reject(late), TURN_APPEARS_MS)
    try {
      return await announced.promise
    } finally {
      clearTimeout(timer)
      this.#announced = null
    }
  }

  #deliverEarly(): void {
    const early = this.#early ?? []
    this.#early = null
    for (const notification of early) this.receive(notification)
  }

  #adopt(turnId: string, by: TurnOrigin): Turn {
    const origin = this.environment?.placement.originOf(by) ?? by
    const turn = new Turn({ id: turnId, threadId: this.id, origin, usageBefore: this.#used }, this.#context)
    this.#turns.set(turnId, turn)
    this.#ended.delete(turnId)
    void turn.outcome.then(() => this.#retire(turn))
    if (origin === 'misplaced') this.environment?.placement.refuse(turn, this.#context)
    for (const listener of this.#listeners) this.#tell(listener, turn)
    // The connection may end between what codex said and this line.
    if (this.#lost) queueMicrotask(() => turn.lose(this.#lost!.reason, this.#lost!.cause))
    return turn
  }

  #tell(listener: (turn: Turn) => void, turn: Turn): void {
    try {
      listener(turn)
    } catch (error) {
      this.#context.onIncident({ type: 'listener-failed', threadId: this.id, turnId: turn.id, error })
    }
  }

  /** Ended turns are known for a while: a command that outlived one may still complete. */
  #retire(turn: Turn): void {
    this.#turns.delete(turn.id)
    this.#ended.set(turn.id, new WeakRef(turn))
    if (this.#ended.size > MAX_TURNS_REMEMBERED) this.#ended.delete(this.#ended.keys().next().value!)
    this.#becomeIdle()
  }

  #turnOf(turnId: string): Turn | undefined {
    return this.#turns.get(turnId) ?? this.#ended.get(turnId)?.deref()
  }

  async #steer(
    input: TurnInput,
    { whenStale, clientMessageId }: SteerOptions,
    next: TurnOptions = {},
  ): Promise<Steered> {
    const turn = this.activeTurn
    try {
      if (!turn) throw new StaleTurnError(this.id)
      await turn.steer(input, { clientMessageId })
      return { turn }
    } catch (error) {
      const stale = isStaleTurn(error) ? new StaleTurnError(this.id, error) : error
      if (whenStale === 'error' || !hasCode(stale, 'stale-turn')) throw stale
      return { queued: this.queue.add(input, { ...next, clientUserMessageId: clientMessageId ?? null }) }
    }
  }

  #whenIdle(): Promise<void> {
    if (!this.isBusy) return Promise.resolve()
    this.#idle ??= Promise.withResolvers()
    return this.#idle.promise
  }

  #becomeIdle(): void {
    if (this.isBusy) return
    this.#idle?.resolve()
    this.#idle = null
  }
}
