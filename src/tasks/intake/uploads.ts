// Files that were given to a task: on record, and told to the model with the next message.

import { uuidv7 } from 'uuidv7'
import type { TurnInput } from '../../codex/index.ts'
import {
  type Change,
  type Db,
  deleteUntold,
  type EventLog,
  insertUploads,
  type MessageRow,
  type StoredUpload,
  takeUntold,
  taskRow,
  uploadRows,
} from '../../store/index.ts'
import { type Caller, type NewUpload, TaskError, toUpload, type Upload, withUploads } from '../model/index.ts'
import { type NewMessage, newMessage } from './new-task.ts'

/** They are on disk. */
export async function addUploads(
  taskId: string,
  { uploads, actor }: { readonly uploads: readonly NewUpload[] } & Pick<Caller, 'actor'>,
  { log }: { readonly log: EventLog },
): Promise<readonly Upload[]> {
  return log.change(async (change) => {
    if (!(await taskRow(change.db, taskId)))
      throw new TaskError('task-not-found', `there is no task ${taskId}`)
    const rows = uploads.map(
      (upload): StoredUpload => ({
        id: uuidv7(),
        task_id: taskId,
        ...upload,
        actor,
        message_id: null,
        created_at: change.now,
      }),
    )
    await insertUploads(change.db, rows)
    const files = uploads.map(({ name, path, bytes, type }) => ({ name, path, bytes, type }))
    change.emit(taskId, 'drawbridge/upload', { isTakenBack: false, files, actor })
    return rows.map(toUpload)
  })
}

/** Before a message tells of it. The file itself is the caller's to remove. */
export async function removeUpload(
  taskId: string,
  { uploadId, actor }: { readonly uploadId: string } & Pick<Caller, 'actor'>,
  { log }: { readonly log: EventLog },
): Promise<Upload> {
  return log.change(async (change) => {
    const row = await deleteUntold(change.db, taskId, uploadId)
    if (!row)
      throw new TaskError(
        'upload-not-found',
        `the task has no upload ${uploadId} that can be taken back: the model knows of it, or it is gone`,
      )
    const { name, path, bytes, type } = row
    change.emit(taskId, 'drawbridge/upload', {
      isTakenBack: true,
      files: [{ name, path, bytes, type }],
      actor,
    })
    return toUpload(row)
  })
}

/** In a change: a message, with what has come since the last one. */
export async function messageWithUploads(
  { db }: Pick<Change, 'db'>,
  taskId: string,
  message: NewMessage,
): Promise<MessageRow> {
  const row = newMessage(taskId, message)
  const uploads = await takeUntold(db, taskId, { messageId: row.id })
  if (uploads.length === 0) return row
  return { ...newMessage(taskId, { ...message, input: withUploads(message.input, uploads) }), id: row.id }
}

/** What was sent is sent again: with the files that it told of then. */
export async function inputAsThen(
  db: Db,
  { taskId, messageId, input }: { taskId: string; messageId: string; input: TurnInput },
): Promise<TurnInput> {
  const told = (await uploadRows(db, taskId)).filter(({ message_id }) => message_id === messageId)
  return withUploads(input, told)
}
