import type { CodexNotification, protocol } from '../protocol/index.ts'

type Changes = readonly protocol.v2.FileUpdateChange[]

/** The diffs of file changes that are under way: codex sends them with the item, and asks about the item by id only. */
export class OpenChanges {
  readonly #byThread = new Map<string, Map<string, Changes>>()

  observe(notification: CodexNotification): void {
    if (notification.method !== 'item/started' && notification.method !== 'item/completed') return
    const { item, threadId } = notification.params ?? {}
    if (item?.type !== 'fileChange') return
    const items = this.#byThread.get(threadId) ?? new Map<string, Changes>()
    if (notification.method === 'item/started' && Array.isArray(item.changes))
      items.set(item.id, item.changes)
    else items.delete(item.id)
    this.#byThread.set(threadId, items)
  }

  /** The changes a request is about; none when it is about something else. */
  of(params: unknown): Changes {
    const { threadId, itemId } = (params ?? {}) as { threadId?: string; itemId?: string }
    return this.#byThread.get(threadId ?? '')?.get(itemId ?? '') ?? []
  }

  forget(threadId: string | undefined): void {
    if (threadId !== undefined) this.#byThread.delete(threadId)
  }
}
