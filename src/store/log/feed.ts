// Brings our own events of all tasks, stored by other workers, to those who follow all.
import type { Db } from '../db.ts'
import { type FeedPage, feedPage, feedStart, pruneFeed } from '../rows/feed-rows.ts'
import type { TaskEvent } from '../task-event.ts'

export interface FeedSink {
  pushOwn(event: TaskEvent): void
  /** Something is missing. */
  endAll(): void
}

export interface FeedOptions {
  readonly db: Db
  /** What this process has stored is not brought: its own log publishes it. */
  readonly self: string
  readonly sink: FeedSink
}

const PAGE_ROWS = 200
const KEPT_MS = 3_600_000
/** After so long without a look, something may have been deleted before it was read. */
const MAX_PAUSE_MS = KEPT_MS / 2
const PRUNED_ROWS = 1_000
const MAX_PRUNES = 20

export class Feed {
  readonly #options: FeedOptions
  /** null: nobody follows. */
  #started: Promise<Position> | null = null

  constructor(options: FeedOptions) {
    this.#options = options
  }

  /** When this resolves, everything stored later is brought. */
  async watch(): Promise<void> {
    this.#started ??= this.#start()
    const started = this.#started
    try {
      await started
    } catch (error) {
      if (this.#started === started) this.#started = null
      throw error
    }
  }

  unwatch(): void {
    this.#started = null
  }

  async poll(): Promise<void> {
    const started = this.#started
    if (!started) return
    const position = await started
    const { db, self, sink } = this.#options
    do {
      const page = await feedPage(db, { ...position, except: self, limit: PAGE_ROWS })
      if (this.#started !== started) return
      if (page.now - position.at > MAX_PAUSE_MS) return sink.endAll()
      for (const event of page.events) sink.pushOwn(event)
      // After every page, so that none is brought again if the next one fails.
      advance(position, page)
    } while (position.upTo !== null)
  }

  /** Deletes what every worker has read long since. */
  async prune(): Promise<void> {
    const { db } = this.#options
    for (let round = 0; round < MAX_PRUNES; round++)
      if ((await pruneFeed(db, { ageMs: KEPT_MS, limit: PRUNED_ROWS })) < PRUNED_ROWS) return
  }

  async #start(): Promise<Position> {
    const { snapshot, now } = await feedStart(this.#options.db)
    return { since: snapshot, upTo: null, afterId: 0, at: now }
  }
}

/** Where the next page begins. */
interface Position {
  since: string
  upTo: string | null
  afterId: number
  /** When it was read to here, on the database's clock. */
  at: number
}

function advance(position: Position, { lastId, snapshot, now }: FeedPage): void {
  const isDone = lastId === null
  position.since = isDone ? snapshot : position.since
  position.upTo = isDone ? null : snapshot
  position.afterId = lastId ?? 0
  position.at = now
}
