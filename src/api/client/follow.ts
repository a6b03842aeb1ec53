// A stream that goes on when its connection does not.
import { setTimeout as pause } from 'node:timers/promises'
import { backoffMs } from '../../util/backoff.ts'
import { ApiError } from './api-error.ts'
import type { Http } from './http.ts'

export interface FollowOptions {
  /** Events after this sequence; default 0, all of them. */
  readonly after?: number | undefined
  /** Ends it, quietly. */
  readonly signal?: AbortSignal | undefined
  /** Told before each new attempt; throw to give up. */
  readonly onReconnect?: ((lost: ApiError | null, attempt: number) => void) | undefined
}

export interface StreamMessage {
  readonly id: string | null
  readonly data: string
}

/** The service is heard from every 15 s, if only by a comment. After this much silence the connection is taken for dead. */
const SILENCE_MS = 45_000
export const BACKOFF = { baseMs: 250, maxMs: 15_000, random: Math.random }

/**
 * Messages of one stream after another, as many at once as have come. Each connection begins after the id of the last
 * one that was given.
 */
export async function* reconnecting(
  http: Http,
  path: string,
  { lastId, signal, onReconnect }: { lastId: string | null } & Omit<FollowOptions, 'after'>,
): AsyncGenerator<readonly StreamMessage[]> {
  let attempt = 0
  while (!signal?.aborted) {
    let lost: ApiError | null = null
    try {
      for await (const messages of connection(http, path, { lastId, signal })) {
        attempt = 0
        lastId = messages.findLast(({ id }) => id !== null)?.id ?? lastId
        yield messages
      }
    } catch (error) {
      if (signal?.aborted) return
      if (!(error instanceof ApiError) || !error.retryable) throw error
      lost = error
    }
    if (signal?.aborted) return
    http.relocate()
    onReconnect?.(lost, ++attempt)
    await beforeNext(lost, attempt, signal)
  }
}

/** Lets some time pass, the longer the more often it was tried in vain. */
export async function beforeNext(
  lost: ApiError | null,
  attempt: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const ms = lost?.retryAfterMs ?? backoffMs(attempt - 1, BACKOFF)
  await pause(ms, undefined, { signal }).catch(() => undefined)
}

async function* connection(
  http: Http,
  path: string,
  { lastId, signal }: { lastId: string | null; signal?: AbortSignal | undefined },
): AsyncGenerator<readonly StreamMessage[]> {
  const { createParser } = await import('eventsource-parser')
  const silence = new Silence()
  const ends = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal
  let messages: StreamMessage[] = []
  const parser = createParser({
    onEvent: ({ id, data }) => messages.push({ id: id ?? null, data }),
  })
  const decoder = new TextDecoder()
  try {
    const headers = { accept: 'text/event-stream', 'last-event-id': lastId ?? undefined }
    const response = await http.open('GET', path, { headers, signal: ends })
    for await (const chunk of response.body ?? []) {
      silence.broken()
      parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }))
      if (messages.length > 0) yield messages
      messages = []
    }
  } catch (cause) {
    if (cause instanceof ApiError) throw cause
    throw new ApiError('the stream broke', { code: 'unreachable', status: 0, cause })
  } finally {
    silence.end()
  }
}

class Silence {
  readonly #controller = new AbortController()
  readonly #timer = setTimeout(() => this.#controller.abort(), SILENCE_MS)

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  broken(): void {
    this.#timer.refresh()
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#controller.abort()
  }
}
