// What a log has to do with the other workers on its store: tell them what it stores, and bring its followers what they
// store. Loaded only with PostgreSQL.
import type { Bus } from '../bus/index.ts'
import type { Db } from '../db.ts'
import { insertFeed } from '../rows/feed-rows.ts'
import type { EventRow } from '../schema.ts'
import { Feed, type FeedSink } from './feed.ts'
import { Repeated } from './repeated.ts'
import { Tail, type TailSink } from './tail.ts'

export interface SharedLogOptions {
  readonly bus: Bus
  readonly db: Db
  /** Names this process among the others, as for the bus. */
  readonly self: string
  readonly pollMs?: number
}

/** What followers need to know of tasks that other workers work on. */
export type OtherWorkers = Pick<Tail, 'watch' | 'unwatch' | 'cursor' | 'isNext'> & {
  watchAll(): Promise<void>
  unwatchAll(): void
}

const POLL_MS = 1_000
const PRUNE_MS = 60_000

/** For one `EventLog`. Closed before its bus is. */
export class SharedLog {
  readonly #options: SharedLogOptions
  readonly #ends: (() => void)[] = []

  constructor(options: SharedLogOptions) {
    this.#options = options
  }

  /** In the transaction that stores these events. */
  async store(db: Db, rows: readonly EventRow[]): Promise<void> {
    await insertFeed(db, { origin: this.#options.self, events: rows.filter(isOwn) })
  }

  /** These have been committed. */
  tell(rows: readonly EventRow[]): void {
    const tasks = new Map<string, { seq: number; hasOwn: boolean }>()
    for (const row of rows) {
      const hasOwn = isOwn(row) || (tasks.get(row.task_id)?.hasOwn ?? false)
      tasks.set(row.task_id, { seq: row.seq, hasOwn })
    }
    for (const [taskId, stored] of tasks) this.#options.bus.tell({ kind: 'events', taskId, ...stored })
  }

  /** From now on what other workers store is brought there. */
  bringTo(sink: TailSink & FeedSink): OtherWorkers {
    const { bus, db, self, pollMs = POLL_MS } = this.#options
    const tail = new Tail({ db, sink })
    const feed = new Feed({ db, self, sink })
    const tailing = new Repeated(pollMs, () => tail.poll())
    const feeding = new Repeated(pollMs, () => feed.poll())
    const pruning = new Repeated(PRUNE_MS, () => feed.prune())
    const unlisten = bus.listen({
      news(news) {
        if (news.kind !== 'events') return
        tail.hear(news.taskId, news.seq)
        if (news.hasOwn) feeding.soon()
      },
      gap() {
        tailing.soon()
        feeding.soon()
      },
    })
    this.#ends.push(unlisten, ...[tailing, feeding, pruning].map((each) => () => each.stop()))
    return {
      watch: (taskId) => tail.watch(taskId),
      unwatch: (taskId) => tail.unwatch(taskId),
      cursor: (taskId) => tail.cursor(taskId),
      isNext: (taskId, seq) => tail.isNext(taskId, seq),
      watchAll: () => feed.watch(),
      unwatchAll: () => feed.unwatch(),
    }
  }

  /** Nothing is brought any more. */
  close(): void {
    for (const end of this.#ends.splice(0)) end()
  }
}

function isOwn({ method }: EventRow): boolean {
  return method.startsWith('drawbridge/')
}
