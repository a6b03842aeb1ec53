// Snapshots as the doors of a service have them.
import { setTimeout as delay } from 'node:timers/promises'
import type {
  RemovedSnapshot,
  RestoreSnapshot,
  Snapshot,
  SnapshotsDoor,
  TakeSnapshot,
} from '../../api/index.ts'
import type { StoredSnapshot } from '../../store/index.ts'
import type { Caller, DurableTasks, Task } from '../../tasks/index.ts'
import type { SnapshotFacts, Workspaces } from '../../workspaces/index.ts'

export type SnapshotTasks = Pick<DurableTasks, 'get' | 'startRestored'>

interface Parts {
  readonly room: () => Promise<Workspaces>
  readonly tasks: SnapshotTasks
}

/** A client gives up on an answer after five minutes. */
const ANSWER_MS = 100_000

export class ServiceSnapshots implements SnapshotsDoor {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async take(taskId: string, request: TakeSnapshot): Promise<Snapshot> {
    const { taken } = await this.#snapshots()
    await this.#parts.tasks.get(taskId)
    const done = taken.take(taskId, { ...request, cause: 'hand' })
    const taking = async () => {
      await delay(ANSWER_MS, undefined, { ref: false })
      return (await taken.list(taskId)).find(({ state }) => state === 'taking') ?? done
    }
    return shown(await Promise.race([done, taking()]))
  }

  async list(taskId: string): Promise<Snapshot[]> {
    await this.#parts.tasks.get(taskId)
    const { taken } = await this.#snapshots()
    return (await taken.list(taskId)).filter(({ state }) => state !== 'removing').map(shown)
  }

  async all(): Promise<Snapshot[]> {
    const { taken } = await this.#snapshots()
    return (await taken.all()).filter(({ state }) => state !== 'removing').map(shown)
  }

  async get(id: string): Promise<Snapshot> {
    return shown(await (await this.#snapshots()).taken.get(id))
  }

  async remove(id: string): Promise<RemovedSnapshot> {
    await (await this.#snapshots()).taken.remove(id)
    return { id }
  }

  async restore(id: string, request: RestoreSnapshot, caller: Caller): Promise<Task> {
    const room = await this.#parts.room()
    const { restored, workspaceId } = await room.snapshots.restores.plan(id, request)
    const task = await this.#parts.tasks.startRestored(restored, caller)
    const made = room.makeRestored(workspaceId)
    await Promise.race([made, delay(ANSWER_MS, undefined, { ref: false })])
    return task
  }

  async export(id: string): Promise<AsyncIterable<Uint8Array>> {
    const { taken } = await this.#snapshots()
    await taken.ready(id)
    return taken.export(id)
  }

  async import(source: AsyncIterable<Uint8Array>): Promise<Snapshot> {
    return shown(await (await this.#snapshots()).taken.import(source))
  }

  async #snapshots() {
    return (await this.#parts.room()).snapshots
  }
}

function shown(row: StoredSnapshot): Snapshot {
  const facts = row.facts === null ? null : (JSON.parse(row.facts) as SnapshotFacts)
  const policy = facts && (JSON.parse(facts.task.policy) as { sandbox?: string; permissions?: string })
  const counts = Object.values(facts?.leftOutCounts ?? {})
  return {
    ...{ id: row.id, taskId: row.task_id, createdAt: row.created_at, turnCount: row.turn_count },
    ...{ state: row.state as Snapshot['state'], cause: row.cause as Snapshot['cause'] },
    ...{ storedBytes: row.stored_bytes, workerId: row.worker_id, problem: row.problem },
    ...{ isImported: row.is_imported === 1, isEncrypted: row.is_sealed === 1 },
    title: facts?.task.title ?? null,
    machine: facts?.machine ?? null,
    codexVersion: facts?.codexVersion ?? null,
    folder: facts?.task.cwd ?? null,
    hasThread: facts && facts.threadId !== null,
    sandbox: policy?.permissions ?? policy?.sandbox ?? null,
    preset: facts?.task.preset ?? null,
    rules: facts && (JSON.parse(facts.task.rules) as unknown[]).length,
    files: facts?.counts.files ?? null,
    bytes: facts?.counts.bytes ?? null,
    changed: facts?.counts.changed ?? null,
    leftOut: [...(facts?.leftOut ?? [])],
    leftOutCount: counts.reduce((sum, each) => sum + each, 0),
  }
}
