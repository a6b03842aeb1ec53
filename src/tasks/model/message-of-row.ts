import type { StoredMessage } from '../../store/index.ts'
import type { Message } from './task-service.ts'

export function toMessage(row: StoredMessage): Message {
  return {
    id: row.id,
    taskId: row.task_id,
    mode: row.mode as Message['mode'],
    text: row.text,
    status: (row.status === 'sending' ? 'queued' : row.status) as Message['status'],
    turnId: row.turn_id,
    actor: row.actor,
    createdAt: row.created_at,
  }
}
