import type { StoredMessage } from '../../store/index.ts'

/** What the log says of a message. */
export function messageEvent(
  { id, mode, text, actor }: StoredMessage,
  { status, turnId, why = null }: { status: MessageStatus; turnId: string | null; why?: string | null },
) {
  return { messageId: id, mode: mode as 'steer' | 'queue', status, text, turnId, actor, why }
}

type MessageStatus = 'queued' | 'delivered' | 'failed' | 'cancelled'
