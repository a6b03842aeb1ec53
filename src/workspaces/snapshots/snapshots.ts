// Snapshots of tasks: taken, listed, removed. On record before each step; what an attempt that died has left is removed when the
// next service opens.
import { randomUUID } from 'node:crypto'
import {
  deleteSnapshot,
  hasEnded,
  insertSnapshot,
  labelsOf,
  newestSnapshots,
  type StoredSnapshot,
  type StoredTask,
  type StoredWorkspace,
  snapshotRow,
  snapshotsIn,
  snapshotsOfTask,
  type TaskStatus,
  taskRow,
  tasksToSnapshot,
  updateSnapshot,
  workspaceOfTask,
} from '../../store/index.ts'
import { parseSnapshotTimes, TaskError } from '../../tasks/index.ts'
import { WorkspaceError } from '../workspace-error.ts'
import type { SnapshotCause, SnapshotFacts, SnapshotTask } from './facts.ts'
import { type Packed, pack, verify } from './pack.ts'
import { packingOf, refuseElsewhere, refuseSeveral, type TaskPacking } from './packing-of.ts'
import { type SnapshotFiles, SnapshotFolder } from './snapshot-files.ts'
import type { SnapshotParts } from './snapshot-parts.ts'
import { exported, type Imported, importChunks } from './transfer.ts'

export interface TakeRequest {
  readonly cause: SnapshotCause
  /** Left out besides what the settings leave out, as lines of a .gitignore. */
  readonly exclude?: readonly string[] | undefined
  readonly gitignore?: boolean | undefined
}

const MAX_LISTED = 1000

export class Snapshots {
  readonly #parts: SnapshotParts
  readonly folder: SnapshotFolder

  constructor(parts: SnapshotParts) {
    this.#parts = parts
    this.folder = new SnapshotFolder(parts)
  }

  /** Removes what attempts that died have left, and takes what they should have taken. */
  async open(): Promise<void> {
    const { db } = this.#parts
    const rows = (await snapshotsIn(db, ['taking', 'removing'])).filter((row) => this.#isOurs(row))
    for (const row of rows) await updateSnapshot(db, row.id, { from: ['taking'], state: 'removing' })
    if (rows.length > 0) await this.#drop(rows)
    for (const task of await tasksToSnapshot(db)) {
      const cause = causeOf(task)
      if (cause !== null && task.turn_count > (task.newest ?? 0)) this.#takeSoon(task.id, cause)
    }
  }

  /** After a turn: takes one if the task is to have one now. Never rejects, never waits. */
  ended(task: StoredTask): void {
    const cause = causeOf(task)
    if (cause !== null) this.#takeSoon(task.id, cause)
  }

  /** No snapshot is being taken of the task when this resolves. */
  async settled(taskId: string): Promise<void> {
    await this.#parts.queue.do(keyOf(taskId), async () => {})
  }

  async list(taskId: string): Promise<StoredSnapshot[]> {
    return snapshotsOfTask(this.#parts.db, taskId)
  }

  all(): Promise<StoredSnapshot[]> {
    return newestSnapshots(this.#parts.db, MAX_LISTED)
  }

  async get(id: string): Promise<StoredSnapshot> {
    const row = await snapshotRow(this.#parts.db, id)
    if (!row) throw new WorkspaceError('snapshot-not-found', `there is no snapshot ${id}`)
    return row
  }

  /** One that can be used here. */
  async ready(id: string): Promise<StoredSnapshot> {
    const row = await this.get(id)
    if (row.state !== 'ready')
      throw new WorkspaceError(
        'snapshot-busy',
        row.state === 'taking'
          ? `the snapshot ${id} is still being taken`
          : `the snapshot ${id} is ${row.state}: ${row.problem ?? 'it is gone'}`,
      )
    if (!this.#isReachable(row))
      throw new WorkspaceError(
        'workspace-elsewhere',
        `the snapshot ${id} is on the disk of another worker: ask there, or let all workers share a folder (workspaces.snapshots.folder)`,
        { details: { workerId: row.worker_id } },
      )
    return row
  }

  /** Resolves when it is ready. Rejects when it could not be taken; then nothing is left of it. */
  async take(taskId: string, request: TakeRequest): Promise<StoredSnapshot> {
    return this.#parts.queue.do(keyOf(taskId), async () => {
      const task = await this.#atRest(taskId, request.cause)
      const id = randomUUID()
      await insertSnapshot(this.#parts.db, this.#newRow(id, task, request.cause))
      await this.#parts.atStep('snapshot-on-record')
      try {
        await this.#taken(id, task, request)
      } catch (error) {
        await updateSnapshot(this.#parts.db, id, {
          from: ['taking'],
          state: 'failed',
          problem: String((error as Error).message),
        })
        // A disk may be full.
        await this.folder.sweep().catch(() => {})
        throw error
      }
      await this.#retain(taskId)
      return this.get(id)
    })
  }

  async remove(id: string): Promise<void> {
    const row = await this.get(id)
    if (row.state === 'taking')
      throw new WorkspaceError('snapshot-busy', `the snapshot ${id} is still being taken`)
    if (!this.#isReachable(row)) await this.ready(id)
    await this.#removeAll([row])
  }

  /** As one file, in parts. One that reads them slowly keeps nobody from anything. */
  async *export(id: string): AsyncGenerator<Buffer> {
    await this.ready(id)
    const { store, release, ...exporting } = await this.folder.using(async ({ store, manifests }) => {
      const manifest = await manifests.read(id)
      const stored = await manifests.stored(id)
      return { store, manifest, stored, release: this.folder.pin(manifest) }
    })
    try {
      yield* exported({ store }, exporting)
    } finally {
      release()
    }
  }

  /** From such a file. All of it is checked; one that is damaged leaves nothing. One that is there already is that one. */
  async import(source: AsyncIterable<Uint8Array>): Promise<StoredSnapshot> {
    let id: string | null = null
    try {
      return await this.folder.using(async (files) => {
        const imported = await importChunks(files, source)
        return this.#parts.queue.do(`import of ${imported.manifest.facts.id}`, () =>
          this.#imported(imported, {
            files,
            onRecord: (known) => {
              id = known
            },
          }),
        )
      })
    } catch (error) {
      if (id !== null) await this.#giveUp(id)
      else await this.folder.sweep().catch(() => {})
      throw error
    }
  }

  async #imported(
    { manifest, isSealed, stored, storedBytes }: Imported,
    { files: { store, manifests }, onRecord }: { files: SnapshotFiles; onRecord: (id: string) => void },
  ): Promise<StoredSnapshot> {
    const { db, atStep } = this.#parts
    const { facts } = manifest
    const known = await snapshotRow(db, facts.id)
    if (known?.state === 'ready') return known
    if (known) throw new WorkspaceError('snapshot-busy', `the snapshot ${facts.id} is ${known.state} here`)
    const row = this.#newRow(facts.id, { id: facts.task.id, turn_count: facts.turnCount }, facts.cause)
    await insertSnapshot(db, { ...row, is_imported: 1, is_sealed: isSealed ? 1 : 0 })
    onRecord(facts.id)
    await atStep('import-on-record')
    await verify(store, manifest)
    await manifests.writeStored(facts.id, stored)
    await atStep('import-written')
    await this.#setReady(facts, { storedBytes })
    return this.get(facts.id)
  }

  async #setReady(facts: SnapshotFacts, { storedBytes }: { readonly storedBytes: number }): Promise<void> {
    await updateSnapshot(this.#parts.db, facts.id, {
      from: ['taking'],
      state: 'ready',
      facts: JSON.stringify(facts),
      stored_bytes: storedBytes,
    })
  }

  async #giveUp(id: string): Promise<void> {
    await updateSnapshot(this.#parts.db, id, { from: ['taking'], state: 'removing' })
    await this.#drop([await this.get(id)])
  }

  #takeSoon(taskId: string, cause: SnapshotCause): void {
    void this.take(taskId, { cause }).catch((error: Error) =>
      this.#parts.tell(`no snapshot was taken of task ${taskId}: ${error.message}`),
    )
  }

  async #taken(id: string, task: StoredTask, request: TakeRequest): Promise<void> {
    const { db, settings, atStep } = this.#parts
    const row = (await workspaceOfTask(db, task.id)) ?? null
    refuseUnmade(row)
    const excludes = {
      exclude: [...settings.exclude, ...(request.exclude ?? [])],
      gitignore: request.gitignore ?? settings.gitignore,
    }
    const packing = await packingOf(task, { row, excludes, root: this.folder.root }, this.#parts)
    await this.folder.using(async ({ store, manifests }) => {
      const { entries, data, storedBytes, ...packed } = await pack(store, packing)
      await atStep('snapshot-packed')
      // What was removed meanwhile is not all in it.
      refuseUnmade((await workspaceOfTask(db, task.id)) ?? null)
      const known = await this.#factsOf({ id, task, cause: request.cause, packing, packed })
      await manifests.write({ format: 1, facts: known, entries, data })
      await atStep('snapshot-written')
      await this.#setReady(known, { storedBytes })
    })
    await atStep('snapshot-ready')
  }

  async #factsOf({ id, task, cause, packing, packed }: Known): Promise<SnapshotFacts> {
    const { db, now, settings } = this.#parts
    const { workspace, prefix, codexVersion } = packing
    return {
      ...{ id, cause, workspace, prefix, codexVersion, ...packed },
      ...{
        takenAt: now(),
        turnCount: task.turn_count,
        threadId: task.turn_count === 0 ? null : task.thread_id,
      },
      machine: settings.machine,
      task: taskFacts(task, await labelsOf(db, task.id)),
    }
  }

  async #atRest(taskId: string, cause: SnapshotCause): Promise<StoredTask> {
    const task = await taskRow(this.#parts.db, taskId)
    if (!task) throw new TaskError('task-not-found', `there is no task ${taskId}`)
    refuseElsewhere(task)
    refuseSeveral(task)
    const { workerId } = this.#parts
    if (workerId !== null && task.worker_id !== workerId)
      throw new WorkspaceError(
        'workspace-elsewhere',
        'the task is on the machine of another worker: ask there',
        {
          details: { workerId: task.worker_id },
        },
      )
    // After a turn the next one may be queued: it waits until this is over.
    const isFree = hasEnded(task.status as TaskStatus) || (cause !== 'hand' && task.turn_id === null)
    if (!isFree)
      throw new TaskError(
        'task-running',
        `the task is ${task.status}: take a snapshot when it rests, or interrupt it first. \`--snapshot turns:1\` takes one after each turn`,
      )
    return task
  }

  #newRow(id: string, task: Pick<StoredTask, 'id' | 'turn_count'>, cause: SnapshotCause) {
    const { now, settings, workerId } = this.#parts
    return {
      ...{ id, cause, state: 'taking', task_id: task.id, turn_count: task.turn_count },
      ...{
        folder: this.folder.root,
        worker_id: workerId,
        is_imported: 0,
        is_sealed: settings.encrypt ? 1 : 0,
      },
      ...{ facts: null, stored_bytes: null, problem: null, created_at: now() },
    }
  }

  /** Older ones than the settings keep, and attempts that failed before the newest. */
  async #retain(taskId: string): Promise<void> {
    const rows = (await this.list(taskId)).filter((row) => this.#isReachable(row))
    const ready = rows.filter(({ state, is_imported }) => state === 'ready' && is_imported === 0)
    const failed = rows.filter(({ state }) => state === 'failed')
    await this.#removeAll([...ready.slice(this.#parts.settings.keep), ...failed])
  }

  async #removeAll(rows: readonly StoredSnapshot[]): Promise<void> {
    if (rows.length === 0) return
    for (const { id } of rows)
      await updateSnapshot(this.#parts.db, id, { from: ['ready', 'failed', 'removing'], state: 'removing' })
    await this.#parts.atStep('snapshot-removing')
    await this.#drop(rows)
  }

  /** Of rows that say `removing`. Done twice, it changes nothing more. */
  async #drop(rows: readonly StoredSnapshot[]): Promise<void> {
    const { db, atStep } = this.#parts
    await this.folder.using(async ({ manifests }) => {
      for (const { id } of rows) await manifests.remove(id)
    })
    await atStep('snapshot-forgotten')
    await this.folder
      .sweep()
      .catch((error: Error) => this.#parts.tell(`snapshots were not swept: ${error.message}`))
    await atStep('snapshot-swept')
    for (const { id } of rows) await deleteSnapshot(db, id)
  }

  #isOurs({ worker_id }: StoredSnapshot): boolean {
    return worker_id === this.#parts.workerId
  }

  /** Its folder is one that is shared, or it is ours. */
  #isReachable(row: StoredSnapshot): boolean {
    return row.folder === this.folder.root && (this.#isOurs(row) || this.#parts.settings.folder !== null)
  }
}

function refuseUnmade(row: StoredWorkspace | null): void {
  if (!row || row.state === 'ready') return
  throw new WorkspaceError(
    'workspace-gone',
    `the workspace ${row.id} of the task is ${row.state}: there are no files to keep`,
  )
}

interface Known {
  readonly id: string
  readonly task: StoredTask
  readonly cause: SnapshotCause
  readonly packing: TaskPacking
  readonly packed: Pick<Packed, 'counts' | 'leftOut' | 'leftOutCounts'>
}

function taskFacts(task: StoredTask, labels: readonly string[]): SnapshotTask {
  const { id, title, prompt, cwd, policy, preset, rules, tools, snapshots } = task
  return {
    ...{ id, title, prompt, cwd, policy, preset, rules, tools, snapshots, labels },
    keepOpen: task.keep_open === 1,
    timeoutMs: task.timeout_ms,
    approvalTimeoutMs: task.approval_timeout_ms,
    outputSchema: task.output_schema,
  }
}

/** Why a task is to have a snapshot now; null: it is not. */
function causeOf({
  snapshots,
  status,
  turn_count,
}: Pick<StoredTask, 'snapshots' | 'status' | 'turn_count'>): SnapshotCause | null {
  const times = snapshots === null ? null : parseSnapshotTimes(snapshots)
  if (!times) return null
  if (times.atLimit && status === 'limited') return 'limited'
  const isOver = hasEnded(status as TaskStatus) && status !== 'limited' && status !== 'idle'
  if (times.atEnd && (isOver || status === 'idle')) return 'end'
  return times.everyTurns !== null && turn_count % times.everyTurns === 0 ? 'turns' : null
}

function keyOf(taskId: string): string {
  return `snapshot of ${taskId}`
}
