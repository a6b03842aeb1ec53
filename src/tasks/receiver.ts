// What is heard from codex, on its way into the log of the task it belongs to. Every notification passes here.
import type { CodexNotification } from '../codex/index.ts'
import type { EventLog, Received } from '../store/index.ts'
import { type KnownItem, knownKey } from './history.ts'
import type { Link } from './links.ts'
import type { Run } from './run.ts'
import { ThreadMap } from './thread-map.ts'
import type { ThreadTokens } from './token-meter.ts'

export interface ReceiverParts {
  readonly log: Pick<EventLog, 'append'>
  readonly runOf: (taskId: string) => Run | undefined
  /** It is known now whose thread this is. */
  readonly onPlaced: (threadId: string, taskId: string) => void
}

interface Params {
  readonly threadId?: string
  readonly turnId?: string
  readonly itemId?: string
  readonly delta?: unknown
  readonly item?: KnownItem & { readonly id?: string }
  readonly turn?: { readonly id?: string }
  readonly tokenUsage?: ThreadTokens
}

export class Receiver {
  readonly #parts: ReceiverParts
  readonly #threads = new ThreadMap<CodexNotification>()

  constructor(parts: ReceiverParts) {
    this.#parts = parts
  }

  taskOf(threadId: string): string | undefined {
    return this.#threads.taskOf(threadId)
  }

  /** From now on this thread is that task's; what came for it before is taken in first. */
  place(threadId: string, taskId: string): void {
    for (const early of this.#threads.place(threadId, taskId)) this.#append(taskId, early)
    this.#parts.onPlaced(threadId, taskId)
  }

  forget(taskId: string): void {
    this.#threads.forgetTask(taskId)
  }

  receive(link: Link, notification: CodexNotification): void {
    const threadId = (notification.params as Params | undefined)?.threadId
    if (threadId === undefined) return
    if (this.#threads.hasUnknown) this.#claimSubAgents(link)
    const taskId = this.#threads.taskOf(threadId) ?? this.#parentsTask(link, threadId)
    if (taskId === undefined) this.#threads.keep(threadId, notification)
    else this.#append(taskId, notification)
  }

  /** For what codex has done while nobody listened. */
  append(run: Run, received: Received): void {
    if (!this.#isNews(run, received)) return
    this.#parts.log.append(run.taskId, received)
  }

  #append(taskId: string, notification: CodexNotification): void {
    const { method, raw } = notification as CodexNotification & { raw: string }
    const params = notification.params as Params
    const itemId = params.itemId ?? params.item?.id ?? null
    const turnId = params.turnId ?? params.turn?.id ?? null
    const isDelta = typeof params.delta === 'string' && itemId !== null
    const received = { method, raw, turnId, itemId, isDelta }
    const run = this.#parts.runOf(taskId)
    if (run && !isDelta) {
      if (!this.#isNews(run, received)) return
      if (method === 'thread/tokenUsage/updated') run.usage.hear(params.threadId!, params.tokenUsage)
      if (run.thread?.id === params.threadId) this.#learn(run, method, params)
    }
    this.#parts.log.append(taskId, received)
  }

  /** An item completes once; what was read from the history of the thread does not come again. */
  #isNews(run: Run, { method, itemId, turnId }: Received): boolean {
    const key = method === 'item/completed' ? itemId : method === 'turn/completed' ? turnId : null
    if (key === null) return true
    if (run.completed.has(key)) return false
    run.completed.add(key)
    return true
  }

  #learn(run: Run, method: string, params: Params): void {
    if (method === 'turn/started') run.completed.clear()
    else if (method === 'thread/closed') run.isClosed = true
    else if (method === 'item/completed' && params.item?.type === 'userMessage')
      for (const key of knownKey(params.item)) run.completed.add(key)
  }

  #parentsTask(link: Link, threadId: string): string | undefined {
    const parent = link.parentOf(threadId)
    const taskId = parent ? this.#threads.taskOf(parent.threadId) : undefined
    if (taskId !== undefined) this.place(threadId, taskId)
    return taskId
  }

  #claimSubAgents(link: Link): void {
    for (const threadId of [...this.#threads.unknownThreads()]) this.#parentsTask(link, threadId)
  }
}
