/** One thing `doctor` looked at. */
export interface Check {
  readonly id: CheckId
  readonly status: CheckStatus
  /** One line a person can read. */
  readonly what: string
  /** What to do about it; null when there is nothing to do, or nothing we know of. */
  readonly fix: string | null
}

export type CheckStatus = 'ok' | 'warn' | 'fail'

export type CheckId =
  | 'node'
  | 'data-folder'
  /** Where tasks are kept; then each damaged SQLite file that was set aside. */
  | 'database'
  | 'codex'
  | 'handshake'
  | 'codex-home'
  | 'config'
  /** Something Codex said by itself when it started; there can be several. */
  | 'notice'
  | 'login'
  | 'sandbox'
  /** Each entry of `tools` in the settings. */
  | 'tools'
  | 'hooks'

export function ok(id: CheckId, what: string): Check {
  return { id, status: 'ok', what: oneLine(what), fix: null }
}

export function warn(id: CheckId, what: string, fix: string | null = null): Check {
  return { id, status: 'warn', what: oneLine(what), fix }
}

export function fail(id: CheckId, what: string, fix: string | null = null): Check {
  return { id, status: 'fail', what: oneLine(what), fix }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Codex's messages may span lines. */
function oneLine(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, ' ')
}
