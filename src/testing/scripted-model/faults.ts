// How a reply can be slow, break or end badly. Parts act where they stand: `[message('half'), hang()]` falls silent
// after the message, `[hang()]` never even sends a status line.

export interface HttpErrorPart {
  readonly part: 'httpError'
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

export interface HeadersPart {
  readonly part: 'headers'
  readonly headers: Readonly<Record<string, string>>
}

export interface CutStreamPart {
  readonly part: 'cutStream'
  readonly afterEvents?: number
}

export interface SlowPart {
  readonly part: 'slow'
  readonly ms: number
  readonly every: 'reply' | 'event'
}

export interface SsePart {
  readonly part: 'sse'
  readonly events: readonly SseEvent[]
}

/** An object is framed as one event; a string is put on the wire as it is. */
export type SseEvent = string | { readonly type: string; readonly [field: string]: unknown }

export interface FailedPart {
  readonly part: 'failed'
  readonly code: string
  readonly message: string
}

export interface IncompletePart {
  readonly part: 'incomplete'
  readonly reason: string
}

export interface HangPart {
  readonly part: 'hang'
}

/** Answers with this status instead of a stream. An object becomes JSON. */
export function httpError(
  status: number,
  body: string | object = { error: { message: `scripted ${status}` } },
  headers: Readonly<Record<string, string>> = {},
): HttpErrorPart {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const type = typeof body === 'string' ? 'text/plain' : 'application/json'
  return { part: 'httpError', status, body: text, headers: { 'content-type': type, ...headers } }
}

/** Adds response headers, such as the `x-codex-primary-used-percent` family codex reads rate limits from. */
export function headers(fields: Readonly<Record<string, string>>): HeadersPart {
  return { part: 'headers', headers: fields }
}

/** Destroys the socket after this many events of the reply; without a number, where it stands. */
export function cutStream(afterEvents?: number): CutStreamPart {
  return afterEvents === undefined ? { part: 'cutStream' } : { part: 'cutStream', afterEvents }
}

/** Waits once, where it stands; with `every: 'event'` before each event that follows. */
export function slow(ms: number, options: { readonly every?: 'reply' | 'event' } = {}): SlowPart {
  return { part: 'slow', ms, every: options.every ?? 'reply' }
}

/** Sends these events and nothing else: no `response.created` before, no `response.completed` after. */
export function sse(events: readonly SseEvent[]): SsePart {
  return { part: 'sse', events }
}

/** Ends the reply with `response.failed`. */
export function failed(code: string, message: string): FailedPart {
  return { part: 'failed', code, message }
}

/** Ends the reply with `response.incomplete`. */
export function incomplete(reason: string): IncompletePart {
  return { part: 'incomplete', reason }
}

/** Sends nothing more until codex gives up or the model is closed. */
export function hang(): HangPart {
  return { part: 'hang' }
}
