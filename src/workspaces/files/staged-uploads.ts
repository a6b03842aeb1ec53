// Files on their way in. They are written under a name of ours, and get their own when all of them are there: nobody ever
// sees a half one, and of several that come together either all stay or none.
import { createHash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { link, mkdir, open, readdir, realpath, rm, unlink } from 'node:fs/promises'
import path from 'node:path'
import { FileError } from './file-error.ts'
import { fileType, HEAD_BYTES, isAllowed } from './file-type.ts'
import { outside, type Pinned, pinRoot } from './pinned.ts'
import { numbered, safeName } from './safe-name.ts'

export interface UploadLimits {
  readonly maxFileBytes: number
  /** In one request. */
  readonly maxFiles: number
  /** Of all files of a task together. */
  readonly maxTaskBytes: number
  /** `image/*`, `text/csv`, `.parquet`; null: every type. */
  readonly types: readonly string[] | null
}

export interface Incoming {
  /** As it was sent: it can be anything. */
  readonly filename: string | null
  readonly body: AsyncIterable<Uint8Array>
}

/** What was stored. */
export interface Stored {
  readonly name: string
  readonly path: string
  readonly bytes: number
  readonly type: string
  readonly sha256: string
}

type Staged = Omit<Stored, 'path'> & { readonly part: string }

export class StagedUploads {
  readonly #incoming: string
  readonly #limits: UploadLimits
  readonly #staged: Staged[] = []

  /** `incoming`: a folder of ours on the same file system. */
  constructor(incoming: string, limits: UploadLimits) {
    this.#incoming = incoming
    this.#limits = limits
  }

  get count(): number {
    return this.#staged.length
  }

  get bytes(): number {
    return this.#staged.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Reads a file to its end. */
  async add({ filename, body }: Incoming): Promise<void> {
    const { maxFiles } = this.#limits
    if (filename === null)
      throw new FileError(
        'file-type-refused',
        'the form may have files only: send each as a field with a filename',
      )
    if (this.#staged.length === maxFiles)
      throw new FileError(
        'too-many-files',
        `at most ${maxFiles} files at once (uploads.maxFiles in settings.json)`,
      )
    const part = path.join(this.#incoming, randomUUID())
    await mkdir(this.#incoming, { recursive: true, mode: 0o700 })
    try {
      this.#staged.push({ part, ...(await this.#write(part, safeName(filename), body)) })
    } catch (error) {
      await rm(part, { force: true })
      throw asFileError(error)
    }
  }

  /** Gives them their names in the folder of the task. */
  async keep(folder: string): Promise<Stored[]> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const pinned = await pinRoot(folder)
    const kept: Stored[] = []
    try {
      await refuseLinked(folder, pinned)
      for (const { part, ...file } of this.#staged) {
        const name = await linkFree(part, { folder: pinned.way, name: file.name })
        kept.push({ ...file, name, path: path.join(folder, name) })
      }
      await syncFolder(folder)
      return kept
    } catch (error) {
      await removeAll(kept)
      throw asFileError(error)
    } finally {
      await pinned.close()
      await this.discard()
    }
  }

  /** Whatever was written so far. */
  async discard(): Promise<void> {
    await Promise.all(this.#staged.splice(0).map(({ part }) => rm(part, { force: true })))
  }

  async #write(part: string, name: string, body: AsyncIterable<Uint8Array>): Promise<Omit<Staged, 'part'>> {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL
    const file = await open(part, flags, 0o600)
    try {
      const { maxFileBytes, maxTaskBytes } = this.#limits
      const most = Math.min(maxFileBytes, maxTaskBytes - this.bytes)
      const digest = createHash('sha256')
      let head = Buffer.alloc(0)
      let type: string | null = null
      let bytes = 0
      for await (const chunk of body) {
        bytes += chunk.length
        if (bytes > most) throw tooLarge(name, this.#limits)
        if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES)])
        // Before all of a large file is there.
        if (head.length >= HEAD_BYTES) type ??= this.#allowed(name, head)
        digest.update(chunk)
        await file.writeFile(chunk)
      }
      type ??= this.#allowed(name, head)
      // Before anybody is told that it is there.
      await file.sync()
      return { name, bytes, type, sha256: digest.digest('hex') }
    } finally {
      await file.close()
    }
  }

  #allowed(name: string, head: Uint8Array): string {
    const type = fileType(name, head)
    const { types } = this.#limits
    if (types === null || isAllowed(types, { name, type })) return type
    throw new FileError(
      'file-type-refused',
      `${name} is ${type}: only ${types.join(', ')} can be uploaded here (uploads.types in settings.json)`,
      { details: { name, type } },
    )
  }
}

export async function removeAll(files: readonly Pick<Stored, 'path'>[]): Promise<void> {
  await Promise.all(files.map((file) => rm(file.path, { force: true })))
}

/** Two of one name at the same time: each link is made once. */
async function linkFree(part: string, { folder, name }: { folder: string; name: string }): Promise<string> {
  const taken = new Set(await readdir(folder))
  for (let count = 1; ; count++) {
    const free = numbered(name, count)
    if (taken.has(free)) continue
    try {
      await link(part, path.join(folder, free))
      await unlink(part)
      return free
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

/** A command that may write where the uploads are could have put a link there. */
async function refuseLinked(folder: string, { real }: Pick<Pinned, 'real'>): Promise<void> {
  const own = path.join(await realpath(path.dirname(folder)), path.basename(folder))
  if (real !== own) throw outside(`${folder} is a link now: nothing is stored through it. Remove it`)
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null)
  await handle?.sync().catch(() => {})
  await handle?.close()
}

function tooLarge(name: string, { maxFileBytes, maxTaskBytes }: UploadLimits): FileError {
  return new FileError(
    'file-too-large',
    `${name} is too large: a file may have ${maxFileBytes} bytes, all files of a task ${maxTaskBytes} (uploads in settings.json)`,
    { details: { name, maxFileBytes, maxTaskBytes } },
  )
}

function asFileError(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error
  return new FileError(
    'disk-full',
    'the disk with the uploaded files is full: nothing was kept. Make room and send it again',
    { cause: error },
  )
}
