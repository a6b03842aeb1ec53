// What is heard from codex, on its way into the log of the task it belongs to. Every notification passes here.
import type { Codex, CodexNotification, Incident, Question, ThreadListener } from '../../codex/index.ts'
import type { EventLog, Received } from '../../store/index.ts'
import type { RunningAppServer } from '../model/index.ts'
import { DeadServers } from './dead-servers.ts'
import { type KnownItem, knownKey } from './history.ts'
import type { ThreadTokens, TokenMeter } from './token-meter.ts'

export interface ReceiverParts {
  readonly log: Pick<EventLog, 'append'>
  /** The answer to what a task asks. */
  readonly ask: (
    asked: { readonly taskId: string; readonly appServer: RunningAppServer; readonly question: Question },
    context: Parameters<NonNullable<ThreadListener['question']>>[1],
  ) => ReturnType<NonNullable<ThreadListener['question']>>
  readonly incident: (taskId: string, incident: Incident) => void
  /** Every notification of a task, on the reader. */
  readonly heard: (taskId: string, notification: CodexNotification) => void
  readonly deadServers: Pick<DeadServers, 'found'>
}

/** What is learnt about a task at work from what codex says. */
export interface Hearing {
  readonly taskId: string
  /** Items of the current turn by all their names, and turns, that the log has as completed. */
  readonly completed: Set<string>
  readonly usage: Pick<TokenMeter, 'hear'>
  readonly opened: { readonly thread: { readonly id: string }; readonly codex: Codex } | null
  /** codex has said what rights the thread has. */
  hearSettings(settings: unknown): void
  /** codex has closed the thread. */
  setClosed(): void
}

interface Params {
  readonly threadId?: string
  readonly turnId?: string
  readonly itemId?: string
  readonly delta?: unknown
  readonly item?: KnownItem & { readonly id?: string }
  readonly turn?: { readonly id?: string }
  readonly tokenUsage?: ThreadTokens
  readonly threadSettings?: unknown
}

export class Receiver {
  readonly #parts: ReceiverParts

  constructor(parts: ReceiverParts) {
    this.#parts = parts
  }

  /** What a thread of this run is opened with. */
  listenerOf(run: Hearing, appServer: RunningAppServer): ThreadListener {
    const { ask, incident, heard } = this.#parts
    const { taskId } = run
    return {
      notification: (notification) => {
        this.#receive(run, notification)
        heard(taskId, notification)
      },
      question: (question, context) => ask({ taskId, appServer, question }, context),
      incident: (what) => incident(taskId, what),
    }
  }

  /** For what codex has done while nobody listened. */
  append(run: Hearing, received: Received): void {
    if (isNews(run, received)) this.#parts.log.append(run.taskId, received)
  }

  #receive(run: Hearing, notification: CodexNotification): void {
    const { method, raw } = notification as CodexNotification & { raw: string }
    const params = notification.params as Params
    const itemId = params.itemId ?? params.item?.id ?? null
    const turnId = params.turnId ?? params.turn?.id ?? null
    const isDelta = typeof params.delta === 'string' && itemId !== null
    const received = { method, raw, turnId, itemId, isDelta }
    if (!isDelta) {
      if (!isNews(run, received)) return
      if (method === 'item/completed') this.#lookForDeath(run, params.item)
      if (method === 'thread/tokenUsage/updated') run.usage.hear(params.threadId!, params.tokenUsage)
      // Not of its sub-agents.
      if (run.opened?.thread.id === params.threadId) learn(run, method, params)
    }
    this.#parts.log.append(run.taskId, received)
  }

  #lookForDeath({ taskId, opened }: Hearing, item: Params['item']): void {
    const server = DeadServers.nameIn(item as Parameters<typeof DeadServers.nameIn>[0])
    if (server !== null && opened) void this.#parts.deadServers.found(taskId, server, opened.codex)
  }
}

/** An item completes once; what was read from the history of the thread does not come again. */
function isNews(run: Hearing, { method, itemId, turnId }: Received): boolean {
  const key = method === 'item/completed' ? itemId : method === 'turn/completed' ? turnId : null
  if (key === null) return true
  if (run.completed.has(key)) return false
  run.completed.add(key)
  return true
}

function learn(run: Hearing, method: string, params: Params): void {
  if (method === 'thread/settings/updated') run.hearSettings(params.threadSettings)
  else if (method === 'thread/closed') run.setClosed()
  else if (method === 'item/completed' && params.item?.type === 'userMessage')
    for (const key of knownKey(params.item)) run.completed.add(key)
}
