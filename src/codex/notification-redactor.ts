// Deltas cut a text anywhere, also in the middle of a secret, so each item's are redacted as one stream.
import type { CodexNotification } from './protocol/index.ts'
import { RedactingStream, redact, redactJsonLine } from './redaction/index.ts'
import { WireNotification } from './wire/index.ts'

interface Delta {
  readonly itemId: string
  readonly delta: string
}

/** Takes secrets out of notifications. What an item's deltas hold back comes with its `item/completed`. */
export class NotificationRedactor {
  readonly #streams = new Map<string, RedactingStream>()

  /** The same object when there was nothing to redact. */
  redact(received: WireNotification): WireNotification {
    if (isDelta(received.params)) return this.#delta(received, received.params)
    this.#forget(received as CodexNotification)
    const raw = redactJsonLine(received.raw)
    return raw === received.raw ? received : new WireNotification(JSON.parse(raw), raw)
  }

  #delta(received: WireNotification, { itemId, delta }: Delta): WireNotification {
    const key = `${received.method} ${itemId}`
    const stream = this.#streams.get(key) ?? new RedactingStream(redact)
    this.#streams.set(key, stream)
    const safe = stream.push(delta)
    if (safe === delta) return received
    const message = JSON.parse(received.raw)
    message.params.delta = safe
    return new WireNotification(message, JSON.stringify(message))
  }

  #forget(notification: CodexNotification): void {
    if (notification.method === 'turn/completed') this.#streams.clear()
    if (notification.method !== 'item/completed') return
    const itemId = notification.params?.item?.id
    for (const key of this.#streams.keys()) if (key.endsWith(` ${itemId}`)) this.#streams.delete(key)
  }
}

function isDelta(params: unknown): params is Delta {
  const { itemId, delta } = (params ?? {}) as Partial<Delta>
  return typeof delta === 'string' && typeof itemId === 'string'
}
