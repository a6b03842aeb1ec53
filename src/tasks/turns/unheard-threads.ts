// Threads of tasks that rest and are not open here. Another client may have a turn in one of them: of that codex tells
// everybody only that the thread became active, and whoever was not connected finds the turn in its history.
import type { Codex, CodexNotification, protocol } from '../../codex/index.ts'
import {
  type EventLog,
  hasEnded,
  type StoredTask,
  type TaskStatus,
  taskRowsByThread,
} from '../../store/index.ts'
import type { Link, Links } from '../link/index.ts'
import type { Runs } from './runs.ts'
import { unsettledIn } from './turn-elsewhere.ts'

export interface UnheardThreadsParts {
  readonly log: EventLog
  readonly links: Pick<Links, 'all'>
  readonly runs: Pick<Runs, 'hasOpen' | 'meet'>
  /** Makes a task, whose thread is on this machine, this service's own. False: another worker has it. */
  readonly adopt: (row: StoredTask) => Promise<boolean>
  readonly onError: (error: unknown) => void
}

/** Threads of nobody here, such as those of sub-agents, that are remembered. */
const MAX_STRANGERS = 1_000

export class UnheardThreads {
  readonly #parts: UnheardThreadsParts
  readonly #strangers = new Set<string>()
  #hasBegun = false

  constructor(parts: UnheardThreadsParts) {
    this.#parts = parts
  }

  /** What was at work is found again by now. Looks for turns that were had while this service was gone. */
  begin(): void {
    this.#hasBegun = true
    for (const link of this.#parts.links.all()) this.connected(link)
  }

  /** A connection stands, or stands again. */
  connected(link: Link): void {
    if (this.#hasBegun) void this.#lookAt(link).catch(() => {})
  }

  /** Every notification of every connection. */
  hear({ method, params }: CodexNotification): void {
    if (!this.#hasBegun || method !== 'thread/status/changed') return
    const { threadId, status } = Object(params) as { threadId?: string; status?: { type?: string } }
    if (threadId === undefined || status?.type !== 'active') return
    if (this.#strangers.has(threadId) || this.#parts.runs.hasOpen(threadId)) return
    void this.#meet(threadId).catch(this.#parts.onError)
  }

  async #meet(threadId: string): Promise<void> {
    const [row] = await this.#parts.log.change(({ db }) => taskRowsByThread(db, [threadId]))
    if (!row) this.#remember(threadId)
    else if (isToMeet(row) && (await this.#parts.adopt(row))) this.#parts.runs.meet(row.id)
  }

  #remember(threadId: string): void {
    this.#strangers.add(threadId)
    const [oldest] = this.#strangers
    if (this.#strangers.size > MAX_STRANGERS) this.#strangers.delete(oldest!)
  }

  /** A connection that breaks on the way is looked at when it stands again. */
  async #lookAt(link: Link): Promise<void> {
    const { log, runs, adopt } = this.#parts
    const codex = await link.codex()
    const { data } = await codex.request('thread/loaded/list', {})
    const unheard = data.filter((threadId) => !runs.hasOpen(threadId))
    const rows = await log.change(({ db }) => taskRowsByThread(db, unheard))
    for (const row of rows.filter(({ status }) => hasEnded(status as TaskStatus)))
      if (isToMeet(row) && (await this.#hasNews(codex, row)) && (await adopt(row))) runs.meet(row.id)
  }

  async #hasNews(codex: Codex, row: StoredTask): Promise<boolean> {
    const turns = await newestTurn(codex, row.thread_id!)
    if (turns[0]?.status === 'inProgress') return true
    return (await this.#parts.log.change(({ db }) => unsettledIn(db, row, { turns, after: null }))).length > 0
  }
}

/** A turn that was given up is ended, and never taken up. When it has ended the thread is looked at. */
function isToMeet({ orphan_turn }: StoredTask): boolean {
  return orphan_turn === null
}

/** Older versions do not tell: there a turn is heard of when it begins. */
async function newestTurn(codex: Codex, threadId: string): Promise<readonly protocol.v2.Turn[]> {
  const params = { threadId, limit: 1, sortDirection: 'desc', itemsView: 'notLoaded' } as const
  return (await codex.request('thread/turns/list', params).catch(() => ({ data: [] }))).data
}
