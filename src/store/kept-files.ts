// The bytes of deliverables: files in the data folder beside SQLite, rows of PostgreSQL, where every worker reads them. They are
// there, whole and synced, before the row that names them; what was cut short is removed later.
import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Db } from './db.ts'
import { isPostgres } from './dialect.ts'
import { keptFilesInTable } from './kept-files-in-table.ts'
import { StoreError } from './store-errors.ts'

export interface KeptFileKey {
  readonly taskId: string
  readonly id: string
}

export interface KeptFile {
  readonly bytes: number
  readonly sha256: string
}

export type Bytes = AsyncIterable<Uint8Array>

export interface KeptFiles {
  /** Durable when it resolves. When the source throws, nothing is kept. */
  put(key: KeptFileKey, source: Bytes): Promise<KeptFile>
  /** null: it is not there. Nothing is held open before the first byte is read, or after the reading has ended. */
  open(key: KeptFileKey): Promise<Bytes | null>
  drop(key: KeptFileKey): Promise<void>
  /** When the task has been deleted. */
  forget(taskId: string): Promise<void>
  /** At the start of the only service: removes what no row names. */
  sweep(): Promise<void>
}

/** `folder` is for those of SQLite. */
export function keptFilesOf(db: Db, folder: string): KeptFiles {
  return isPostgres(db) ? keptFilesInTable(db) : keptFilesIn(folder, db)
}

/** Passes the bytes on, and says in the end what they were. */
export async function* counted(source: Bytes, done: (file: KeptFile) => void): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of source) {
    hash.update(chunk)
    bytes += chunk.byteLength
    yield chunk
  }
  done({ bytes, sha256: hash.digest('hex') })
}

const UNFINISHED = '.part'
const CHUNK_BYTES = 256 * 1024

function keptFilesIn(folder: string, db: Db): KeptFiles {
  const placeOf = ({ taskId, id }: KeptFileKey) => path.join(folder, taskId, id)
  const forget = (...names: string[]) => rm(path.join(folder, ...names), { recursive: true, force: true })
  return {
    async put(key, source) {
      const place = placeOf(key)
      await mkdir(path.dirname(place), { recursive: true, mode: 0o700 })
      try {
        const kept = await write(`${place}${UNFINISHED}`, source)
        await rename(`${place}${UNFINISHED}`, place)
        for (const each of [path.dirname(place), folder, path.dirname(folder)]) await syncFolder(each)
        return kept
      } catch (error) {
        await rm(`${place}${UNFINISHED}`, { force: true })
        throw diskFull(error)
      }
    },
    async open(key) {
      const facts = await stat(placeOf(key)).catch(nullIfGone)
      return facts && read(placeOf(key))
    },
    drop: (key) => rm(placeOf(key), { force: true }),
    forget: (taskId) => forget(taskId),
    async sweep() {
      for (const taskId of await readdir(folder).catch(() => [])) {
        const rows = await db.selectFrom('deliverables').select('id').where('task_id', '=', taskId).execute()
        const known = new Set(rows.map(({ id }) => id))
        for (const name of await readdir(path.join(folder, taskId)).catch(() => []))
          if (!known.has(name)) await forget(taskId, name)
        if (known.size === 0) await forget(taskId)
      }
    },
  }
}

async function write(file: string, source: Bytes): Promise<KeptFile> {
  let kept: KeptFile = { bytes: 0, sha256: '' }
  const handle = await open(file, 'w', 0o600)
  try {
    for await (const chunk of counted(source, (done) => (kept = done))) await writeAll(handle, chunk)
    await handle.sync()
  } finally {
    await handle.close()
  }
  return kept
}

async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.byteLength; ) at += (await handle.write(chunk, at)).bytesWritten
}

async function* read(file: string): AsyncGenerator<Uint8Array> {
  const handle = await open(file)
  try {
    for (;;) {
      const { buffer, bytesRead } = await handle.read({ buffer: Buffer.allocUnsafe(CHUNK_BYTES) })
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
  }
}

/** Said to the model, which can do nothing about it but say so. */
function diskFull(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error
  return new StoreError(
    'disk-full',
    'the disk of the service is full: the file was not handed over. People must make room there first',
    { cause: error },
  )
}

/** So that the name is on disk too. Not every platform opens folders. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder).catch(() => null)
  await handle?.sync().catch(() => {})
  await handle?.close()
}

function nullIfGone(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
