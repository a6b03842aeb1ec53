// The files of tasks: those in the folder that a task works in, to be looked at, and those that people give it.
import { lstat, mkdir, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type Db, tasksThatAre, uploadRows, workspaceOfTask } from '../../store/index.ts'
import type { FilePlace, Task } from '../../tasks/index.ts'
import { OneAtATime } from '../one-at-a-time.ts'
import { FileError } from './file-error.ts'
import { type FolderListing, listFolder } from './list-folder.ts'
import { type OpenedFile, openFile } from './opened-file.ts'
import { isAtOrBelow, outside, type Pinned, pinBelow, pinRoot } from './pinned.ts'
import { Protection } from './protection.ts'
import { type Incoming, removeAll, StagedUploads, type Stored, type UploadLimits } from './staged-uploads.ts'

export interface TaskFilesOptions {
  readonly db: Db
  /** Where uploads are: outside of every repository, and of the data folder, which commands cannot read. */
  readonly folder: string
  /** The worker whose machine this is; null on SQLite. */
  readonly workerId: string | null
  /** Which store this is, for people: no password in it. */
  readonly store: string
  readonly now: () => number
  readonly limits: UploadLimits
  /** What is never shown, for a task with this home of codex. */
  readonly protectedFor: (codexHome: string | null) => readonly string[]
}

/** `folder`: where the task works. `uploads`: what it was given. */
type FilesIn = 'folder' | 'uploads'

interface Asked {
  readonly in: FilesIn
  /** Relative; '' for the folder itself. */
  readonly path: string
}

export class TaskFiles {
  readonly #options: TaskFilesOptions
  readonly #queue = new OneAtATime()

  constructor(options: TaskFilesOptions) {
    this.#options = options
  }

  get limits(): UploadLimits {
    return this.#options.limits
  }

  async list(place: FilePlace, asked: Asked): Promise<FolderListing> {
    this.#refuseElsewhere(place.task)
    if (asked.in === 'uploads') await mkdir(this.#uploadsOf(place.task), { recursive: true, mode: 0o700 })
    return this.#pinned(place, asked, async (pinned) => {
      if (!pinned.facts.isDirectory())
        throw new FileError('not-a-file', 'this is a file: ask for its content')
      return listFolder(pinned)
    })
  }

  /** The caller reads it to its end, or closes it. */
  async open(place: FilePlace, asked: Asked): Promise<OpenedFile> {
    this.#refuseElsewhere(place.task)
    return this.#pinned(place, asked, openFile)
  }

  /**
   * Stores files and gives them to `record`. When anything fails, or the sender stops, nothing of them stays.
   */
  async receive<T>(
    { task }: FilePlace,
    files: AsyncIterable<Incoming>,
    record: (stored: readonly Stored[]) => Promise<T>,
  ): Promise<T> {
    this.#refuseElsewhere(task)
    await this.#refuseConfined(task)
    await this.#noteStore()
    const staged = new StagedUploads(path.join(this.#options.folder, INCOMING), this.limits)
    try {
      for await (const file of files) await staged.add(file)
      if (staged.count === 0) throw new FileError('upload-incomplete', 'there is no file in the request')
      // What is there is counted and added to by one at a time.
      return await this.#queue.do(task.id, async () => {
        await this.#refuseFull(task, staged.bytes)
        const stored = await staged.keep(this.#uploadsOf(task))
        return record(stored).catch(async (error: unknown) => {
          await removeAll(stored)
          throw error
        })
      })
    } finally {
      await staged.discard()
    }
  }

  /** Removes the file of an upload when `record` has taken it off the record. */
  async takeBack<T extends { readonly name: string }>(
    { task }: FilePlace,
    record: () => Promise<T>,
  ): Promise<T> {
    this.#refuseElsewhere(task)
    const upload = await record()
    // What stays is swept away with its task.
    await rm(path.join(this.#uploadsOf(task), path.basename(upload.name)), { force: true }).catch(() => {})
    return upload
  }

  /** Never rejects: what stays is swept away later. */
  async forget(taskId: string): Promise<void> {
    if (!TASK_ID.test(taskId)) return
    await rm(path.join(this.#options.folder, taskId), { recursive: true, force: true }).catch(() => {})
  }

  /**
   * Removes what was on its way in when an earlier service ended, and long after, the files of tasks that are gone. Not while
   * another store is in use than the one they came with: its tasks are there, and only not here.
   */
  async sweep({ isStart }: { readonly isStart: boolean }): Promise<void> {
    const { db, folder, now } = this.#options
    if (isStart) await rm(path.join(folder, INCOMING), { recursive: true, force: true })
    if (!(await this.#isOfThisStore())) return
    const ids = (await readdir(folder).catch(() => [])).filter((name) => TASK_ID.test(name))
    const there = await tasksThatAre(db, ids)
    for (const id of ids.filter((each) => !there.has(each))) {
      const place = path.join(folder, id)
      const changedAt = (await lstat(place)).mtimeMs
      if (now() - changedAt > GONE_MS) await rm(place, { recursive: true, force: true })
    }
  }

  /** The first store whose tasks were given files here is on record beside them. */
  async #isOfThisStore(): Promise<boolean> {
    const { folder, store } = this.#options
    const first = await readFile(path.join(folder, STORE), 'utf8').catch(() => null)
    return first === store
  }

  async #noteStore(): Promise<void> {
    const { folder, store } = this.#options
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(path.join(folder, STORE), store, { flag: 'wx', mode: 0o600 }).catch(() => {})
  }

  async #pinned<T>(place: FilePlace, asked: Asked, work: (pinned: Pinned) => Promise<T>): Promise<T> {
    const { task, within } = place
    const isUpload = asked.in === 'uploads'
    const root = await pinRoot(isUpload ? this.#uploadsOf(task) : await this.#folderOf(task))
    try {
      if (!isUpload) await refuseBeyond(root, within)
      const pinned = await pinBelow(root, asked.path)
      try {
        await new Protection(this.#options.protectedFor(task.codexHome)).check(pinned)
        return await work(pinned)
      } finally {
        await pinned.close()
      }
    } finally {
      await root.close()
    }
  }

  /** Of a workspace all of it, also when the task began in a folder of it. */
  async #folderOf(task: Task): Promise<string> {
    if (task.workspace?.id == null) return task.cwd
    const row = await workspaceOfTask(this.#options.db, task.id)
    if (row?.state === 'ready') return row.folder
    const isGone = row?.state === 'removed' || row?.state === 'removing'
    throw new FileError(
      'file-not-found',
      isGone
        ? 'the workspace of the task was removed'
        : 'the workspace of the task is made when it begins: wait for its first turn',
    )
  }

  #uploadsOf({ id }: Task): string {
    return path.join(this.#options.folder, id)
  }

  #refuseElsewhere({ host, worker }: Task): void {
    const { workerId } = this.#options
    if (host !== null)
      throw new FileError(
        'files-elsewhere',
        `the task works on the host ${host}: its files cannot be read or added from here yet. Use ssh`,
        { details: { host } },
      )
    if (workerId === null || worker?.id === workerId) return
    if (worker === null)
      throw new FileError('files-elsewhere', 'no worker has taken the task yet: wait until it begins')
    throw new FileError(
      'files-elsewhere',
      `the files of the task are on the machine of the worker ${worker.name}: ask there`,
      { details: { workerId: worker.id, worker: worker.name } },
    )
  }

  /** What a confined thread sees is settled when it is opened: a folder cannot be added later. */
  async #refuseConfined({ policy }: Task): Promise<void> {
    const { folder } = this.#options
    if (!policy.confined) return
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const [real, allowed] = [await realpath(folder), policy.allow ?? []]
    if (allowed.some((each) => isAtOrBelow(each.path, real))) return
    throw new FileError(
      'files-confined',
      `the task is confined to its folders and could not read the file: start it with --allow ro:${real}, or put the file into its folder yourself`,
    )
  }

  async #refuseFull({ id }: Task, more: number): Promise<void> {
    const { maxTaskBytes } = this.limits
    const there = (await uploadRows(this.#options.db, id)).reduce((sum, { bytes }) => sum + bytes, 0)
    if (there + more <= maxTaskBytes) return
    throw new FileError(
      'file-too-large',
      `the task has files of ${there} bytes, and ${more} more are too many: all of them may have ${maxTaskBytes} (uploads.maxTaskBytes in settings.json)`,
      { details: { there, more, maxTaskBytes } },
    )
  }
}

/** In the folder of uploads. */
const INCOMING = '.incoming'
const STORE = '.store'
/** A backup that was restored may be replaced by a newer one. */
const GONE_MS = 30 * 24 * 60 * 60 * 1000
const TASK_ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/

/** By where it really is now, not by its name. */
async function refuseBeyond(root: Pinned, within: readonly string[] | null): Promise<void> {
  if (within === null) return
  for (const folder of within) {
    const allowed = await pinRoot(folder).catch(() => null)
    const isIn = allowed !== null && isAtOrBelow(allowed.real, root.real)
    await allowed?.close()
    if (isIn) return
  }
  throw outside('the folder of the task is outside of the folders of this token')
}
