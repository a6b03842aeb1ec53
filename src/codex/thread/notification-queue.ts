import { AsyncQueue } from '../../util/async-queue.ts'
import type { CodexNotification } from '../protocol/index.ts'

/**
 * Notifications waiting for one consumer. When it falls too far behind, deltas are left out: `item/completed`
 * repeats what they said. Everything else is always kept.
 */
export class NotificationQueue extends AsyncQueue<CodexNotification> {
  readonly #maxBuffered: number
  /** How many deltas were left out because the consumer was too slow. */
  droppedDeltas = 0

  constructor(maxBuffered: number) {
    super()
    this.#maxBuffered = maxBuffered
  }

  override push(notification: CodexNotification): void {
    if (this.size >= this.#maxBuffered && isDelta(notification.method)) this.droppedDeltas++
    else super.push(notification)
  }
}

function isDelta(method: string): boolean {
  return method.endsWith('elta')
}
