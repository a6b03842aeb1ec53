import { createRedactor } from '../../../codex/index.ts'
import { secretsOf, type Target } from '../../targets/index.ts'
import { AddressRefusedError } from '../address-guard.ts'
import type { HttpAnswer } from '../http-post.ts'
import { retryAfterMs } from '../retry-after.ts'

export type SendResult =
  | { readonly ok: true }
  | {
      readonly ok: false
      /** One line, secrets taken out. */
      readonly error: string
      /** Trying again would change nothing. */
      readonly permanent: boolean
      /** How long the receiver wants to be left alone. */
      readonly retryAfterMs: number | null
    }

export const OK: SendResult = { ok: true }

export function failed(
  error: string,
  { permanent = false, retryAfterMs = null }: { permanent?: boolean; retryAfterMs?: number | null } = {},
): SendResult {
  return { ok: false, error, permanent, retryAfterMs }
}

const WORTH_A_RETRY = new Set([408, 425, 429])
const SAYS_WHEN = new Set([429, 503])

/** What the status alone says. A redirect is an error: what is signed for one place is not sent to another. */
export function judgeStatus({ status, headers, text }: HttpAnswer, now: number, said = text): SendResult {
  if (status >= 200 && status < 300) return OK
  if (status >= 300 && status < 400) {
    return failed(`HTTP ${status}: redirects are not followed, use the address it leads to`, {
      permanent: true,
    })
  }
  return failed(`HTTP ${status}${said.trim() ? `: ${said.trim()}` : ''}`, {
    permanent: status < 500 && !WORTH_A_RETRY.has(status),
    retryAfterMs: SAYS_WHEN.has(status) ? retryAfterMs(headers['retry-after'], now) : null,
  })
}

/** There was no answer at all. `host` is who should have given it. */
export function noAnswer(error: unknown, host: string): SendResult {
  if (error instanceof AddressRefusedError) return failed(error.message, { permanent: true })
  if (error instanceof Error && error.name === 'TimeoutError') return failed(`${host} did not answer in time`)
  const code = error instanceof Error && 'code' in error ? String(error.code) : null
  return failed(`cannot reach ${host}: ${code ?? (error instanceof Error ? error.message : String(error))}`)
}

const MAX_ERROR = 300

/** An answer may repeat what it was sent. */
export function withoutSecrets(result: SendResult, target: Target): SendResult {
  if (result.ok) return result
  const { redact } = createRedactor({ secrets: secretsOf(target) })
  const error = redact(result.error).replace(/\s+/g, ' ').slice(0, MAX_ERROR).toWellFormed()
  return { ...result, error }
}
