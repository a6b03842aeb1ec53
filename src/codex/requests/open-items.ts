import type { CodexNotification, protocol } from '../protocol/index.ts'
import type { RequestId } from '../wire/index.ts'

type Item = protocol.v2.ThreadItem
export type Changes = readonly protocol.v2.FileUpdateChange[]
export type McpToolCall = Extract<Item, { type: 'mcpToolCall' }>

/**
 * The file changes and MCP tool calls that are under way, by thread. Questions only name them: the diff, and which tool
 * with which arguments, came with the item.
 */
export class OpenItems {
  readonly #byThread = new Map<string, Map<string, Item>>()
  /** Which request has asked about an item. */
  readonly #askedBy = new Map<string, RequestId>()

  observe(notification: CodexNotification): void {
    if (notification.method !== 'item/started' && notification.method !== 'item/completed') return
    const { item, threadId } = notification.params ?? {}
    if (item?.type !== 'fileChange' && item?.type !== 'mcpToolCall') return
    const items = this.#byThread.get(threadId) ?? new Map<string, Item>()
    if (notification.method === 'item/started') items.set(item.id, item)
    else {
      items.delete(item.id)
      this.#askedBy.delete(item.id)
    }
    this.#byThread.set(threadId, items)
  }

  /** The changes a request is about; none when it is about something else. */
  changes({ threadId, itemId }: { threadId: string | null; itemId: string | null }): Changes {
    const item = this.#byThread.get(threadId ?? '')?.get(itemId ?? '')
    return item?.type === 'fileChange' && Array.isArray(item.changes) ? item.changes : []
  }

  /** The calls of a thread that have begun, and that no other request has asked about; oldest first. */
  toolCalls(threadId: string | null, requestId: RequestId): readonly McpToolCall[] {
    const items = this.#byThread.get(threadId ?? '')?.values() ?? []
    return [...items]
      .filter((item) => item.type === 'mcpToolCall')
      .filter(({ id }) => (this.#askedBy.get(id) ?? requestId) === requestId)
  }

  /** codex asks about a call once, before it runs. What its server asks later is not about that. */
  markAsked(itemId: string, requestId: RequestId): void {
    this.#askedBy.set(itemId, requestId)
  }

  forget(threadId: string | undefined): void {
    if (threadId === undefined) return
    for (const itemId of this.#byThread.get(threadId)?.keys() ?? []) this.#askedBy.delete(itemId)
    this.#byThread.delete(threadId)
  }
}
