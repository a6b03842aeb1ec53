// When snapshots of a task are taken by themselves, and a task that goes on from one.

import { TaskError } from './task-errors.ts'
import type { PlannedWorkspace } from './workspace.ts'

interface SnapshotTimes {
  /** When the task has ended, however. */
  readonly atEnd: boolean
  /** When a usage limit stops it. */
  readonly atLimit: boolean
  /** After every so many turns. */
  readonly everyTurns: number | null
}

/** `off`, or `end`, `limited` and `turns:<number>` with commas between them. */
export function parseSnapshotTimes(text: string): SnapshotTimes | null {
  if (text.trim() === 'off') return null
  const words = text.split(',').map((word) => word.trim())
  const turns = words.flatMap((word) => /^turns:([1-9]\d{0,3})$/.exec(word)?.[1] ?? [])
  const isKnown = words.every(
    (word) => word === 'end' || word === 'limited' || /^turns:[1-9]\d{0,3}$/.test(word),
  )
  if (!isKnown || turns.length > 1 || new Set(words).size !== words.length)
    throw new TaskError(
      'bad-request',
      `${JSON.stringify(text)} does not say when snapshots are taken: use off, end, limited, turns:<number>, or several with commas`,
    )
  return {
    atEnd: words.includes('end'),
    atLimit: words.includes('limited'),
    everyTurns: turns.length > 0 ? Number(turns[0]) : null,
  }
}

/** A task that goes on where a snapshot ends. What is not named is as for a new task. */
export interface RestoredTask {
  readonly snapshotId: string
  /** The task that the snapshot was taken of; null: this store does not have it. */
  readonly forkedFrom: string | null
  readonly place: PlannedWorkspace
  /** The id that its thread gets here; null: the snapshot has none. */
  readonly threadId: string | null
  /** What the model is told with its next turn. */
  readonly notice: string
  readonly title: string
  /** The prompt of the task that was kept: it is shown where there is no other. */
  readonly firstPrompt: string
  /** What it goes on with; without one it waits for a message. */
  readonly prompt?: string | undefined
  readonly labels: readonly string[]
  readonly tools: readonly string[]
  readonly account?: string | undefined
  readonly codexHome?: string | undefined
  readonly codexPath?: string | undefined
  /** Columns that are taken over as they were stored. */
  readonly kept: {
    readonly policy: string
    readonly preset: string
    readonly rules: string
    readonly keep_open: number
    readonly timeout_ms: number | null
    readonly approval_timeout_ms: number | null
    readonly output_schema: string | null
    readonly snapshots: string | null
  }
}
