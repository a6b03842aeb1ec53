// Deltas cut a text anywhere, also in the middle of a secret, so each item's are redacted as one stream.
import { type DeltaParams, DeltaStreams, NONE, withDelta } from './delta-streams.ts'
import { redactor as everyones, type Redactor } from './redaction/index.ts'
import { WireNotification } from './wire/index.ts'

interface Params {
  readonly threadId?: unknown
  readonly turnId?: string
  readonly itemId?: string
  readonly role?: string
  readonly summaryIndex?: number
  readonly item?: { readonly id?: string }
  readonly turn?: { readonly id?: string }
}

/**
 * Takes secrets out of notifications, in the order they came. The end of a text that its deltas hold back comes as one
 * more delta before the notification that ends it: ask `heldBefore` first, then `redact`.
 */
export class NotificationRedactor {
  readonly #redactor: Redactor
  readonly #streams: DeltaStreams

  constructor(redactor: Redactor = everyones, streams: DeltaStreams = new DeltaStreams(redactor)) {
    this.#redactor = redactor
    this.#streams = streams
  }

  /** What has to be told before this notification; the same empty list when there is nothing. */
  heldBefore({ method, params }: WireNotification): readonly WireNotification[] {
    switch (method) {
      case 'item/completed':
      case 'thread/realtime/item/completed':
      case 'thread/realtime/transcript/done':
      case 'item/reasoning/summaryPartAdded':
      case 'turn/completed':
      case 'thread/realtime/closed':
      case 'thread/closed':
        return this.#ended(method, (params ?? {}) as Params)
      default:
        return NONE
    }
  }

  /** The same object when there was nothing to redact. */
  redact(received: WireNotification): WireNotification {
    const { method, params } = received
    if (isDelta(params)) {
      const shown = this.#streams.push(received, params)
      return shown === params.delta ? received : withDelta(received, shown)
    }
    if (method === 'turn/started' || method === 'item/started') this.#begun(method, (params ?? {}) as Params)
    const raw = this.#redactor.redactJsonLine(received.raw)
    return raw === received.raw ? received : new WireNotification(JSON.parse(raw), raw)
  }

  #begun(method: 'turn/started' | 'item/started', { threadId, turnId, turn, item }: Params): void {
    if (typeof threadId !== 'string') return
    if (method === 'turn/started') this.#streams.beginTurn(threadId, turn?.id ?? '')
    else this.#streams.beginItem(threadId, turnId ?? '', item?.id ?? '')
  }

  #ended(method: string, params: Params): readonly WireNotification[] {
    const { threadId, turnId, turn, item, itemId, role, summaryIndex } = params
    if (typeof threadId !== 'string') return NONE
    if (method === 'turn/completed') return this.#streams.endTurn(threadId, turn?.id ?? '')
    if (method === 'thread/realtime/closed') return this.#streams.endTurn(threadId, '')
    if (method === 'thread/closed') return this.#streams.endThread(threadId)
    return this.#streams.endItem({ threadId, turnId, itemId: item?.id ?? itemId ?? role ?? '' }, summaryIndex)
  }
}

function isDelta(params: unknown): params is DeltaParams {
  const { threadId, delta } = (params ?? {}) as Partial<DeltaParams>
  return typeof delta === 'string' && typeof threadId === 'string'
}
