import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '../db.ts'
import { POSTGRES_DEFAULTS } from '../postgres/open-postgres.ts'
import { connectOnce } from '../postgres/single-connection.ts'
import type { Bus, BusListener } from './bus.ts'
import { Listening } from './listening.ts'
import { CHANNEL, Notifier } from './notifier.ts'
import { fromPayload } from './payload.ts'

export interface OpenBusOptions {
  readonly url: string
  /** The pool that news are sent through. */
  readonly db: Db
  /** Names this process among the others; no other may have the same. */
  readonly self: string
  /** A listener has thrown. */
  readonly onError: (error: unknown) => void
  readonly applicationName?: string
  readonly connectTimeoutMs?: number
  readonly timing?: Partial<BusTiming>
}

interface BusTiming {
  /** How often the connection is asked whether it lives. */
  readonly pingMs: number
  /** How long an answer may take. */
  readonly pingTimeoutMs: number
  readonly reconnectBaseMs: number
  readonly reconnectMaxMs: number
}

const TIMING: BusTiming = { pingMs: 5_000, pingTimeoutMs: 5_000, reconnectBaseMs: 100, reconnectMaxMs: 5_000 }
const LAST_WORDS_MS = 1_000

/** The bus of a PostgreSQL. It is there at once and connects by itself, whether or not the database can be reached. */
export async function openBus(options: OpenBusOptions): Promise<Bus> {
  const { db, self, onError } = options
  const listeners = new Set<BusListener>()
  const each = (hear: (listener: BusListener) => void) => {
    for (const listener of listeners)
      try {
        hear(listener)
      } catch (error) {
        onError(error)
      }
  }
  const notifier = new Notifier({ db, self })
  const listening = listen(options, {
    onText(text) {
      const told = fromPayload(text)
      if (told === null || told.from === self) return
      for (const news of told.news) each((listener) => listener.news(news))
    },
    onConnected: () => each((listener) => listener.gap()),
  })
  return {
    tell: (news) => notifier.tell(news),
    listen(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    get isListening() {
      return listening.isListening
    },
    async close() {
      listeners.clear()
      await Promise.all([
        listening.close(),
        Promise.race([notifier.close(), sleep(LAST_WORDS_MS, undefined, { ref: false })]),
      ])
    },
  }
}

function listen(
  { url, db, applicationName, connectTimeoutMs, timing }: OpenBusOptions,
  heard: { onText(text: string): void; onConnected(): void },
): Listening {
  const { pingMs, pingTimeoutMs, reconnectBaseMs, reconnectMaxMs } = { ...TIMING, ...timing }
  return new Listening({
    ...heard,
    channel: CHANNEL,
    ownChannel: `${CHANNEL}_${randomBytes(8).toString('hex')}`,
    notify: (channel) => sql`select pg_notify(${channel}, '')`.execute(db),
    connect: () =>
      connectOnce({
        url,
        statementTimeoutMs: pingTimeoutMs,
        replyTimeoutMs: pingTimeoutMs,
        idleInTransactionMs: POSTGRES_DEFAULTS.idleInTransactionMs,
        connectTimeoutMs: connectTimeoutMs ?? POSTGRES_DEFAULTS.connectTimeoutMs,
        applicationName: applicationName ?? `${POSTGRES_DEFAULTS.applicationName} bus`,
      }),
    pingMs,
    reconnect: { baseMs: reconnectBaseMs, maxMs: reconnectMaxMs },
  })
}
