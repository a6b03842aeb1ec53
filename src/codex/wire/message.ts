// The shapes of app-server's JSON-RPC: one JSON object per line, without the "jsonrpc" field.

/** codex uses numbers and strings; an answer must echo the id with its type or it is never matched. */
export type RequestId = number | string

/** A notification as it came, with the line it came in, so that nobody needs to serialise it again. */
export class WireNotification {
  readonly method: string
  readonly params: unknown
  /** codex's own clock; null before 0.145. */
  readonly emittedAtMs: number | null
  readonly raw: string

  constructor(message: { method: string; params?: unknown; emittedAtMs?: number }, raw: string) {
    this.method = message.method
    this.params = message.params
    this.emittedAtMs = message.emittedAtMs ?? null
    this.raw = raw
  }
}

/** A request codex makes of us. */
export interface WireRequest {
  readonly id: RequestId
  readonly method: string
  readonly params: unknown
  readonly raw: string
}

/** Something odd on the wire that was survived. */
export type WireIncident =
  | { readonly type: 'non-json-line'; readonly line: string; readonly length: number }
  | { readonly type: 'malformed-message'; readonly line: string; readonly length: number }
  | { readonly type: 'oversize-line'; readonly bytes: number }
  | { readonly type: 'late-reply'; readonly id: RequestId }
  | { readonly type: 'unknown-reply'; readonly id: RequestId }
  | { readonly type: 'handler-failed'; readonly method: string; readonly error: unknown }

/** Throw this from a request handler to answer codex with a JSON-RPC error of your choice. */
export class Refusal extends Error {
  readonly rpcCode: number

  constructor(message: string, rpcCode: number) {
    super(message)
    this.name = 'Refusal'
    this.rpcCode = rpcCode
  }
}

/** Also one of another copy of this package. */
export function isRefusal(error: unknown): error is Refusal {
  const { name, rpcCode } = Object(error) as { name?: unknown; rpcCode?: unknown }
  return name === 'Refusal' && typeof rpcCode === 'number'
}

/**
 * One line for codex. `JSON.stringify` writes a lone surrogate as an escape that codex's parser rejects, and codex
 * does not answer what it cannot parse: such text is made well-formed first.
 */
export function encode(message: object): string {
  const line = JSON.stringify(message)
  return line.includes('\\ud') ? JSON.stringify(wellFormed(message)) : line
}

function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormed)
  if (typeof value !== 'object' || value === null) return value
  if ('toJSON' in value && typeof value.toJSON === 'function') return wellFormed(value.toJSON())
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key.toWellFormed(), wellFormed(inner)]),
  )
}
