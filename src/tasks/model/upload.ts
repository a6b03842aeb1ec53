// Files that people give to a task, and what the model is told of them.
import type { TurnInput } from '../../codex/index.ts'
import type { StoredUpload } from '../../store/index.ts'
import type { Task } from './task.ts'

export interface Upload {
  readonly id: string
  readonly taskId: string
  readonly name: string
  /** Where it is, on the machine of the task's worker. */
  readonly path: string
  readonly bytes: number
  readonly type: string
  readonly sha256: string
  readonly actor: string
  /** Whether a message has told the model of it. */
  readonly isTold: boolean
  readonly createdAt: number
}

export type NewUpload = Pick<Upload, 'name' | 'path' | 'bytes' | 'type' | 'sha256'>

/** Where the files of a task are, for a caller who may have them. */
export interface FilePlace {
  readonly task: Task
  /** The real path must be one of these or below; null: the caller has no such limits. */
  readonly within: readonly string[] | null
}

export function toUpload(row: StoredUpload): Upload {
  const { id, name, path, bytes, type, sha256, actor } = row
  return {
    ...{ id, taskId: row.task_id, name, path, bytes, type, sha256, actor },
    isTold: row.message_id !== null,
    createdAt: row.created_at,
  }
}

/** A message with what it tells of files besides. */
export function withUploads(
  input: TurnInput,
  uploads: readonly Pick<Upload, 'path' | 'bytes' | 'type'>[],
): TurnInput {
  if (uploads.length === 0) return input
  const text = noteOf(uploads)
  const items = typeof input === 'string' ? [textItem(input)] : input
  return [...items, textItem(text)]
}

function textItem(text: string) {
  return { type: 'text' as const, text, text_elements: [] }
}

/** As JSON, a name cannot be taken for anything but a name. */
function noteOf(uploads: readonly Pick<Upload, 'path' | 'bytes' | 'type'>[]): string {
  const lines = uploads.map(({ path, bytes, type }) => `- ${JSON.stringify(path)} (${bytes} bytes, ${type})`)
  return [
    'The user has uploaded these files for this task. They are outside of the working folder and can only be read:',
    ...lines,
  ].join('\n')
}
