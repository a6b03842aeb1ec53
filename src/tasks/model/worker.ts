import type { ListedWorker } from '../../store/index.ts'

/** One service on a shared store. Times are the database's. */
export interface Worker {
  /** The same after a restart: it belongs to the data folder. */
  readonly id: string
  /** What people call it; the machine's name unless the settings say another. */
  readonly name: string
  readonly machine: string
  /** Drawbridge's. */
  readonly version: string
  readonly labels: readonly string[]
  /** `draining`: takes no new tasks. `stopped`: by itself. `lost`: not heard of since `beatAt`, and may not write. */
  readonly state: 'up' | 'draining' | 'stopped' | 'lost'
  /** Turns that it runs at the same time, and how many work now. */
  readonly capacity: number
  readonly working: number
  /** Its tasks that have not ended. */
  readonly tasks: number
  /** Where its API is reached, as far as it knows. */
  readonly url: string | null
  readonly startedAt: number
  readonly beatAt: number
  /** How long ago it was last heard of; on the database's clock, when this was read. */
  readonly silentMs: number
  /** The one that answers. */
  readonly isThis: boolean
}

export function toWorker(row: ListedWorker, selfId: string): Worker {
  return {
    id: row.id,
    name: row.name,
    machine: row.machine,
    version: row.version,
    labels: JSON.parse(row.labels) as string[],
    state: row.state as Worker['state'],
    capacity: row.capacity,
    working: row.working,
    tasks: row.task_count,
    url: row.url,
    startedAt: row.started_at,
    beatAt: row.beat_at,
    silentMs: Math.max(row.read_at - row.beat_at, 0),
    isThis: row.id === selfId,
  }
}
