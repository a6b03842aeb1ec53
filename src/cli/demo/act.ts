import {
  type Codex,
  type CodexNotification,
  DrawbridgeError,
  type Host,
  type Incident,
  openCodex,
  type protocol,
  type Thread,
  type TurnOptions,
} from '../../codex/index.ts'
import { interruptedResult, type RunResult, resultOfError, resultOfOutcome } from '../run/run-result.ts'
import { TerminalView } from '../run/terminal-view.ts'
import type { Terminal } from '../terminal.ts'

type Item = protocol.v2.ThreadItem

export interface ActOptions {
  readonly host: Host
  readonly terminal: Terminal
  readonly signal: AbortSignal
}

const TURN_TIMEOUT_MS = 60_000

/** One codex process of the demo. Its turns are shown as `drawbridge run` shows them. */
export class Act {
  readonly #options: ActOptions
  #codex: Codex | null = null
  #view: TerminalView | null = null
  #hasShownThread = false
  #declined = 0

  constructor(options: ActOptions) {
    this.#options = options
  }

  /** How often codex asked for something and was declined. */
  get declined(): number {
    return this.#declined
  }

  async open(): Promise<Codex> {
    const { host, signal } = this.#options
    this.#codex = await openCodex(host, { signal, onIncident: (incident) => this.#incident(incident) })
    // Ends whatever is waited for, a turn included.
    signal.addEventListener('abort', () => void this.close(), { once: true })
    signal.throwIfAborted()
    return this.#codex
  }

  /** Runs a turn to its end and gives the items it completed. Rejects unless it went well. */
  async turn(thread: Thread, prompt: string, options: TurnOptions = {}): Promise<Item[]> {
    const view = new TerminalView(this.#options.terminal)
    this.#view = view
    if (!this.#hasShownThread) view.opened(thread)
    this.#hasShownThread = true
    const items: Item[] = []
    const result = await this.#play(thread, { prompt, options, view, items })
    // Neither the tokens of a script nor a thread that is about to be deleted are worth a word.
    view.result({ ...result, usage: null, threadId: null })
    this.#options.signal.throwIfAborted()
    if (result.status !== 'completed') throw new DemoError(`the turn ended as ${result.status}`)
    return items
  }

  async close(): Promise<void> {
    await this.#codex?.close()
  }

  async #play(
    thread: Thread,
    part: { prompt: string; options: TurnOptions; view: TerminalView; items: Item[] },
  ): Promise<RunResult> {
    try {
      const turn = await thread.startTurn(part.prompt, { ...part.options, timeoutMs: TURN_TIMEOUT_MS })
      for await (const notification of turn) {
        if (notification.method === 'item/completed') part.items.push(notification.params.item)
        if (!isAboutTheModel(notification)) part.view.notification(notification)
      }
      return resultOfOutcome(await turn.outcome)
    } catch (error) {
      return this.#options.signal.aborted ? interruptedResult(thread.id) : resultOfError(error, thread.id)
    }
  }

  #incident(incident: Incident): void {
    if (incident.type === 'request-refused') this.#declined++
    // The item it is about may have come in the same piece and still be on its way to the view.
    setImmediate(() => this.#view?.incident(incident))
  }
}

/** Something did not happen as the tour says it does. */
export class DemoError extends DrawbridgeError {
  constructor(message: string) {
    super(`${message}; \`drawbridge doctor\` may tell why`, { code: 'demo-failed' })
  }
}

/**
 * codex warns that it has no metadata for a model called `scripted`. A catalogue of our own (`model_catalog_json`)
 * would settle that, but its fields change with codex's version, and one that does not parse is no config at all.
 */
function isAboutTheModel(notification: CodexNotification): boolean {
  return notification.method === 'warning' && notification.params.message.startsWith('Model metadata for')
}
