// What the model hands to people and programs while it works, as everyone outside this room sees it.
import type { Bytes, StoredCallerMessage, StoredDeliverable } from '../../store/index.ts'

/** A file that the model handed over. Its bytes stay when the workspace is gone. */
export interface Deliverable {
  readonly id: string
  readonly taskId: string
  /** From 1, in its task. */
  readonly number: number
  readonly turnId: string | null
  /** Where it was, seen from the task's folder. */
  readonly path: string
  /** The last part of the path. */
  readonly name: string
  readonly title: string
  readonly note: string | null
  readonly bytes: number
  readonly sha256: string
  readonly status: 'pending' | 'accepted' | 'sent-back'
  /** What it was answered with, and by whom. */
  readonly words: string | null
  readonly actor: string | null
  readonly createdAt: number
  readonly answeredAt: number | null
}

export interface AnswerDeliverable {
  readonly verdict: 'accepted' | 'sent-back'
  /** For the model. Needed to send it back. */
  readonly words?: string | undefined
}

export interface DeliverableContent {
  readonly deliverable: Deliverable
  readonly bytes: Bytes
}

/** A file about to be handed over: already opened and checked. */
export interface NewDeliverable {
  readonly path: string
  readonly title: string
  readonly note: string | null
  readonly turnId: string | null
  /** What the file has; throws when it may not be handed over after all. */
  readonly bytes: Bytes
}

export interface TaskProgress {
  readonly text: string
  /** 0 to 100; null: it cannot be told. */
  readonly percent: number | null
  readonly at: number
}

/** A message of the model to the program that embeds Drawbridge. */
export interface CallerMessage {
  readonly id: string
  readonly taskId: string
  readonly name: string
  readonly data: unknown
  readonly status: 'sent' | 'answered'
  readonly answer: unknown
  readonly actor: string | null
  readonly createdAt: number
  readonly answeredAt: number | null
}

/** As it is stored with the task. */
export interface StoredAttention {
  /** null: somebody has seen it. */
  readonly reason: string | null
  readonly at: number
  /** How often people were told. */
  readonly count: number
}

export function openAttention(json: string | null): { reason: string; at: number } | null {
  const { reason, at } = (json === null ? { reason: null, at: 0 } : JSON.parse(json)) as StoredAttention
  return reason === null ? null : { reason, at }
}

export function toDeliverable(row: StoredDeliverable): Deliverable {
  return {
    ...{ id: row.id, taskId: row.task_id, number: row.number, turnId: row.turn_id },
    ...{ path: row.path, name: nameIn(row.path), title: row.title, note: row.note },
    ...{ bytes: Number(row.bytes), sha256: row.sha256 },
    status: row.status as Deliverable['status'],
    ...{ words: row.words, actor: row.actor, createdAt: row.created_at, answeredAt: row.answered_at },
  }
}

export function toCallerMessage(row: StoredCallerMessage): CallerMessage {
  return {
    ...{ id: row.id, taskId: row.task_id, name: row.name, data: JSON.parse(row.data) },
    status: row.status as CallerMessage['status'],
    answer: row.answer === null ? null : JSON.parse(row.answer),
    ...{ actor: row.actor, createdAt: row.created_at, answeredAt: row.answered_at },
  }
}

function nameIn(path: string): string {
  return path.split('/').at(-1) || 'file'
}
