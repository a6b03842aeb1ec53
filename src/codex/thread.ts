import { DrawbridgeError, type TransportClosedError } from './errors.ts'
import { type TurnInput, userInput } from './input.ts'
import type { ClientParams, CodexNotification, protocol } from './protocol/index.ts'
import { replyText } from './reply-text.ts'
import { type Request, Turn } from './turn.ts'

export type ThreadOptions = ClientParams<'thread/start'>
export type ResumeOptions = Omit<
  ClientParams<'thread/resume'>,
  'threadId' | 'history' | 'path' | 'excludeTurns'
>

/** codex's own per-turn overrides, plus when to stop. Aborting the signal interrupts the turn. */
export type TurnOptions = Omit<ClientParams<'turn/start'>, 'threadId' | 'input'> & {
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

/** What codex said about the thread when it was started or resumed: the policy in force, the model, the folder. */
export type ThreadSettings = Omit<protocol.v2.ThreadStartResponse, 'thread'>

/** One codex thread on this client. Routes the thread's notifications to the turn they belong to. */
export class Thread {
  readonly id: string
  readonly settings: ThreadSettings
  readonly #request: Request
  readonly #turns = new Map<string, Turn>()
  /** While `turn/start` is unanswered: what arrived for turns we do not know yet, because it may be that turn. */
  #early: CodexNotification[] | null = null
  #lost: { reason: TransportClosedError; isOurDoing: boolean } | null = null

  constructor(id: string, settings: ThreadSettings, request: Request) {
    this.id = id
    this.settings = settings
    this.#request = request
  }

  /** The turn that runs now, if this client started it. */
  get activeTurn(): Turn | null {
    for (const turn of this.#turns.values()) if (!turn.hasEnded) return turn
    return null
  }

  /** A turn runs here or is being started. */
  get isBusy(): boolean {
    return this.#early !== null || this.activeTurn !== null
  }

  /** Starts a turn. Rejects while another runs here: codex would silently fold the input into that one. */
  async startTurn(input: TurnInput, options: TurnOptions = {}): Promise<Turn> {
    if (this.isBusy) throw new ThreadBusyError(this.id)
    const { timeoutMs, signal, ...overrides } = options
    signal?.throwIfAborted()
    this.#early = []
    try {
      const params = { ...overrides, threadId: this.id, input: userInput(input) }
      const reply = await this.#request('turn/start', params)
      const turnId = replyText(reply?.turn?.id, { method: 'turn/start', field: 'turn.id' })
      return this.#adopt(turnId, { timeoutMs, signal })
    } finally {
      this.#early = null
    }
  }

  /** Called by the client, on the reader. */
  receive(notification: CodexNotification): void {
    const turnId = turnIdOf(notification.params)
    const turn = turnId === undefined ? this.activeTurn : this.#turns.get(turnId)
    if (turn) turn.receive(notification)
    else this.#early?.push(notification)
  }

  /** Called by the client when the connection has ended. */
  lose(reason: TransportClosedError, isOurDoing: boolean): void {
    this.#lost = { reason, isOurDoing }
    for (const turn of this.#turns.values()) turn.lose(reason, isOurDoing)
  }

  #adopt(turnId: string, limits: { timeoutMs?: number | undefined; signal?: AbortSignal | undefined }): Turn {
    const turn = new Turn({ id: turnId, threadId: this.id }, this.#request)
    this.#turns.set(turnId, turn)
    void turn.outcome.then(() => this.#turns.delete(turnId))
    for (const notification of this.#early ?? []) {
      const belongsTo = turnIdOf(notification.params)
      if (belongsTo === turnId || belongsTo === undefined) turn.receive(notification)
    }
    turn.limit(limits)
    // The connection may end between codex's reply and this line.
    if (this.#lost) turn.lose(this.#lost.reason, this.#lost.isOurDoing)
    return turn
  }
}

export class ThreadBusyError extends DrawbridgeError {
  constructor(threadId: string) {
    super(`thread ${threadId} is busy: steer the running turn, or wait for its outcome`, {
      code: 'thread-busy',
    })
  }
}

/** Most notifications carry `turnId`; the ones about the turn itself carry the turn. */
function turnIdOf(params: unknown): string | undefined {
  const { turnId, turn } = params as { turnId?: string; turn?: { id?: string } }
  return turnId ?? turn?.id
}
