// A data folder that was copied, with the machine or without it, makes two services of one worker id. Only one can run.
import { setTimeout as delay } from 'node:timers/promises'
import { type Db, type StoredWorker, StoreError, workerRow } from '../../store/index.ts'

/** Of the time between two beats: how often we look, and for how long. */
const LOOKS_PER_BEAT = 20
const BEATS_WAITED = 2
const BEATS_PER_LEASE = 3

/** Resolves when this start of a worker is silent, or over. Rejects when it is heard of. */
export async function refuseBeating(
  other: StoredWorker,
  { db, signal }: { db: Db; signal: AbortSignal },
): Promise<void> {
  const beatMs = (other.lease_until - other.beat_at) / BEATS_PER_LEASE
  const looks = LOOKS_PER_BEAT * BEATS_WAITED
  for (let look = 0; look < looks; look++) {
    await delay(beatMs / LOOKS_PER_BEAT, undefined, { signal })
    const now = await workerRow(db, other.id)
    if (now?.boot !== other.boot) return
    if (now.beat_at > other.beat_at) throw inUse(now)
  }
}

function inUse({ id, name, machine }: StoredWorker): StoreError {
  const message =
    `this data folder is a copy of that of a running service, the worker ${name} on ${machine}, and has its worker id. ` +
    'To run both, delete the file worker-id in this data folder and start again: it then gets an id of its own'
  return new StoreError('worker-id-in-use', message, { details: { workerId: id, name, machine } })
}
