// Tells news through the pool: at once, then at most every 50 ms. A notifying transaction takes a lock of the whole
// server when it commits, so there is one for many news, and never in a transaction that stores events.
import { sql } from 'kysely'
import type { Db } from '../db.ts'
import type { News } from './bus.ts'
import { toPayloads } from './payload.ts'

export const CHANNEL = 'drawbridge'

const EVERY_MS = 50
/** More than this wait only while the database is away; then listeners find everything by polling. */
const MAX_WAITING = 10_000

export class Notifier {
  readonly #db: Db
  readonly #self: string
  #waiting = new Map<string, News>()
  #sending: Promise<void> | null = null
  #isClosed = false

  constructor({ db, self }: { db: Db; self: string }) {
    this.#db = db
    this.#self = self
  }

  tell(news: News): void {
    if (this.#isClosed) return
    const key = keyOf(news)
    const known = this.#waiting.get(key)
    if (!known && this.#waiting.size >= MAX_WAITING) return
    this.#waiting.set(key, known ? newest(known, news) : news)
    this.#sending ??= this.#send()
  }

  /** Resolves when nothing is being sent. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#sending
  }

  async #send(): Promise<void> {
    // Everything from this tick goes together.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.size > 0) {
      const payloads = toPayloads(this.#self, this.#waiting.values())
      this.#waiting = new Map()
      // Dropped when it fails.
      await sql`select pg_notify(${CHANNEL}, payload) from unnest(${payloads}::text[]) as payload`
        .execute(this.#db)
        .catch(() => {})
      if (!this.#isClosed) await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
    }
    this.#sending = null
  }
}

function keyOf(news: News): string {
  switch (news.kind) {
    case 'events':
      return `e${news.taskId}`
    case 'command':
      return `c${news.workerId}`
    case 'result':
      return `r${news.commandId}`
    case 'queue':
      return 'q'
  }
}

function newest(known: News, news: News): News {
  if (known.kind !== 'events' || news.kind !== 'events') return news
  const hasOwn = (known.hasOwn ?? false) || (news.hasOwn ?? false)
  return { ...news, seq: Math.max(known.seq, news.seq), hasOwn }
}
