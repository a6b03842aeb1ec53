// The queue of workers that share a PostgreSQL. pg-boss keeps its own schema there, and brings it up to date under its
// own lock; a worker with an older pg-boss goes on with a newer schema.
import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Job, PgBoss, SendOptions } from 'pg-boss'
import { redact } from '../../codex/index.ts'
import { shownUrl } from '../postgres/address.ts'
import { openRawPool } from '../postgres/raw-pool.ts'
import { StoreError } from '../store-errors.ts'
import { ofPool, ofTransaction } from './boss-database.ts'
import type { KeyedWork, Period, Queue, QueueOptions, WakeOptions } from './queue.ts'
import { RunningWork } from './running-work.ts'
import { seldom } from './seldom.ts'

interface Woken {
  readonly key: string | null
}

const HOUR_S = 60 * 60
/** Kept for people who look; a period must be remembered until it is over. */
const KEPT_S = 2 * HOUR_S
/** Apart from the store's: nothing of the task service waits for pg-boss, nor the other way round. */
const POOL = {
  poolSize: 2,
  statementTimeoutMs: 60_000,
  replyTimeoutMs: 70_000,
  idleInTransactionMs: 60_000,
  connectTimeoutMs: 10_000,
  applicationName: 'drawbridge-queue',
}
const QUEUE = {
  retryLimit: 0,
  expireInSeconds: 12 * HOUR_S,
  heartbeatSeconds: 60,
  retentionSeconds: 24 * HOUR_S,
  deleteAfterSeconds: KEPT_S,
} as const
/** How soon others see a wake-up; the worker that made it looks at once. */
const LOOK_S = 2
const LOOK_PERIODIC_S = 10
const CLOSE_MS = 5_000

export async function openPgBossQueue(url: string, options: QueueOptions): Promise<Queue> {
  const pool = await openRawPool({ url, ...POOL })
  const { PgBoss } = await import('pg-boss')
  const boss = new PgBoss({
    db: ofPool(pool),
    schema: 'pgboss',
    supervise: true,
    maintenanceIntervalSeconds: HOUR_S,
    // Its cron knows minutes and no start; `every` uses its throttle instead. Nothing here depends on other jobs.
    schedule: false,
    flowIntervalSeconds: HOUR_S,
  })
  const queue = new PgBossQueue(boss, { ...options, pool })
  try {
    await boss.start()
  } catch (cause) {
    await queue.stop({ deadlineMs: 0 })
    const why = (cause as Error).message
    const message = `${shownUrl(url)}: the tables of the queue (schema pgboss) could not be made: ${why}. The user needs the right to create a schema in this database`
    throw new StoreError('migration-failed', message, { cause })
  }
  return queue
}

class PgBossQueue implements Queue {
  readonly #boss: PgBoss
  readonly #pool: Pool
  readonly #report: (error: unknown) => void
  readonly #running = new RunningWork()
  /** By name: made, as far as this process knows. */
  readonly #made = new Map<string, Promise<void>>()
  /** By name: pg-boss's own id of who takes from it here. */
  readonly #takers = new Map<string, string>()
  readonly #intervals: NodeJS.Timeout[] = []
  #stopped: Promise<void> | null = null

  constructor(boss: PgBoss, { pool, now, onError }: QueueOptions & { readonly pool: Pool }) {
    this.#boss = boss
    this.#pool = pool
    this.#report = seldom(onError, { now })
    boss.on('error', this.#report)
  }

  async every(
    name: string,
    { everyMs }: Period,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    await this.#take(name, (_, signal) => work(signal), LOOK_PERIODIC_S)
    const seconds = Math.max(1, Math.round(everyMs / 1000))
    const options = { singletonSeconds: seconds, deleteAfterSeconds: Math.max(KEPT_S, 2 * seconds) }
    const begin = () => this.#send(name, null, options).catch(this.#report)
    await begin()
    // All workers try, twice in each period, so that none is missed by a timer that is a little early.
    this.#intervals.push(setInterval(() => void begin(), everyMs / 2).unref())
  }

  on(name: string, work: KeyedWork): Promise<void> {
    return this.#take(name, work, LOOK_S)
  }

  async wake(name: string, { key, at, in: change }: WakeOptions = {}): Promise<void> {
    const wakeKey = JSON.stringify([key ?? null, at ?? null])
    const options: SendOptions = { singletonKey: wakeKey }
    if (at !== undefined) options.startAfter = new Date(at)
    if (!change) return this.#send(name, key ?? null, options).catch(this.#report)
    await this.#send(name, key ?? null, { ...options, db: ofTransaction(change.db) })
    change.after(() => this.#look(name))
  }

  stop(options: { readonly deadlineMs: number }): Promise<void> {
    this.#stopped ??= this.#stop(options)
    return this.#stopped
  }

  async #stop(options: { readonly deadlineMs: number }): Promise<void> {
    for (const timer of this.#intervals) clearInterval(timer)
    for (const name of this.#takers.keys()) await this.#boss.offWork(name, { wait: false })
    await this.#running.stop(options)
    const close = async () => {
      await this.#boss.stop({ graceful: true, timeout: 1_000 })
      await this.#pool.end()
    }
    // A database that does not answer must not hold up the end of the service.
    await Promise.race([close().catch(this.#report), delay(CLOSE_MS, undefined, { ref: false })])
  }

  async #take(name: string, work: KeyedWork, pollingIntervalSeconds: number): Promise<void> {
    await this.#make(name)
    const taker = await this.#boss.work<Woken>(name, { pollingIntervalSeconds }, async ([job]) => {
      await this.#do(job!, work)
      // Without this it would wait for its interval before it takes the next.
      this.#look(name)
    })
    this.#takers.set(name, taker)
  }

  async #do(job: Job<Woken>, work: KeyedWork): Promise<void> {
    const { name, data } = job
    const isLate = this.#running.isCutOff
    try {
      if (!isLate) await this.#running.run((signal) => work(data.key, AbortSignal.any([signal, job.signal])))
    } catch (error) {
      if (this.#running.isCutOff) return
      const message = error instanceof Error ? error.message : String(error)
      this.#report(new Error(`${name}: ${message}`, { cause: error }))
      // It is stored, where its cause and its stack have no business.
      throw new Error(redact(message))
    } finally {
      if (this.#running.isCutOff) await this.wake(name, { key: data.key ?? undefined })
    }
  }

  async #send(name: string, key: string | null, options: SendOptions): Promise<void> {
    await this.#make(name)
    const id = await this.#boss.send(name, { key }, options)
    if (id !== null && !options.db) this.#look(name)
  }

  #look(name: string): void {
    const taker = this.#takers.get(name)
    if (taker !== undefined) this.#boss.notifyWorker(taker)
  }

  #make(name: string): Promise<void> {
    const known = this.#made.get(name)
    if (known) return known
    const made = this.#create(name)
    this.#made.set(name, made)
    made.catch(() => this.#made.delete(name))
    return made
  }

  /**
   * `short`: one waits for each key, and one that a dead worker holds is not in the way of the next. A queue that another
   * version has made gets our options.
   */
  async #create(name: string): Promise<void> {
    await this.#boss.createQueue(name, { ...QUEUE, policy: 'short' })
    await this.#boss.updateQueue(name, QUEUE)
  }
}
