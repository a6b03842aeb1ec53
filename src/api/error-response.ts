// The one place where an error becomes a status and a body.
import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { DrawbridgeError } from '../codex/index.ts'
import { databaseTrouble, TaskError, type TaskErrorCode } from '../tasks/index.ts'
import type { ApiEnv } from './api-env.ts'
import type { ErrorBody } from './contract.ts'
import { type DoorCode, DoorError } from './door-error.ts'

const STATUS_OF: Readonly<Record<DoorCode | TaskErrorCode, ContentfulStatusCode>> = {
  'bad-request': 400,
  'bad-answer': 400,
  unauthorized: 401,
  'token-required': 403,
  'foreign-origin': 403,
  'folder-untrusted': 403,
  'not-permitted': 403,
  'too-deep': 409,
  'not-found': 404,
  'task-not-found': 404,
  'message-not-found': 404,
  'approval-not-found': 404,
  'rule-not-found': 404,
  'notice-not-found': 404,
  'event-not-found': 404,
  'worker-not-found': 404,
  'upload-not-found': 404,
  'deliverable-not-found': 404,
  'caller-message-not-found': 404,
  'deliverable-answered': 409,
  'caller-message-answered': 409,
  'method-not-allowed': 405,
  'approval-settled': 409,
  'idempotency-mismatch': 409,
  'not-running': 409,
  'task-running': 409,
  'not-resumable': 409,
  'trust-changed': 409,
  'name-taken': 409,
  'not-logged-in': 409,
  'folder-in-use': 409,
  'hook-failed': 409,
  'body-too-large': 413,
  'unsupported-media-type': 415,
  'unknown-host': 421,
  'too-many-requests': 429,
  'too-many-streams': 429,
  'not-supported': 501,
  unavailable: 503,
  'worker-unreachable': 503,
  'database-unreachable': 503,
  deadline: 504,
}

/** What codex, or the way to it, says: worth naming. Codes that begin with `codex-` or `app-server-` are 502 too. */
const STATUS_OF_CODEX: Readonly<Record<string, ContentfulStatusCode>> = {
  'bad-input': 400,
  'cwd-not-found': 400,
  'stale-turn': 409,
  'thread-archived': 409,
  'thread-busy': 409,
  'thread-has-writer': 409,
  'nothing-to-resume': 409,
  unsupported: 501,
  'experimental-method': 501,
  'host-unreachable': 503,
  'rpc-error': 502,
  'transport-closed': 502,
  'unexpected-reply': 502,
  'resumed-other-thread': 502,
  'too-many-app-servers': 503,
  'request-timeout': 504,
}

/** What the record of trusted folders says. */
const STATUS_OF_TRUST: Readonly<Record<string, ContentfulStatusCode>> = {
  'trust-unreadable': 409,
  'trust-damaged': 503,
  'trust-busy': 503,
}

/** What the accounts say that tasks borrow. */
const STATUS_OF_ACCOUNTS: Readonly<Record<string, ContentfulStatusCode>> = {
  'bad-login': 400,
  'account-not-found': 404,
  'account-exists': 409,
  'account-key': 409,
  'account-busy': 409,
  'revoke-failed': 502,
}

/** What the workspaces say. */
const STATUS_OF_WORKSPACES: Readonly<Record<string, ContentfulStatusCode>> = {
  'workspace-not-found': 404,
  'repository-not-found': 404,
  'repository-needed': 409,
  'workspace-gone': 409,
  'workspace-unmerged': 409,
  'workspace-busy': 409,
  'workspace-elsewhere': 409,
  'snapshot-not-found': 404,
  'snapshot-impossible': 409,
  'snapshot-damaged': 409,
  'snapshot-key': 409,
  'snapshot-busy': 409,
  'apply-conflict': 409,
  'checkout-dirty': 409,
  'branch-moved': 409,
  'uncommitted-work': 409,
  'nothing-to-do': 409,
  'git-failed': 409,
}

/** What the files of tasks say. */
const STATUS_OF_FILES: Readonly<Record<string, ContentfulStatusCode>> = {
  'upload-incomplete': 400,
  'file-outside': 403,
  'file-protected': 403,
  'file-not-found': 404,
  'not-a-file': 409,
  'files-elsewhere': 409,
  'files-confined': 409,
  'file-too-large': 413,
  'too-many-files': 413,
  'file-type-refused': 415,
  'disk-full': 507,
}

export function errorResponse(error: unknown, c: Context<ApiEnv>, onError: Report): Response {
  const known = knownError(error)
  if (known !== null) {
    const { status, headers = {}, ...fields } = known
    return c.json<ErrorBody>({ error: fields }, status, headers)
  }
  const requestId = c.get('requestId')
  onError(error, requestId)
  const message = 'something went wrong inside Drawbridge; its log has this request id'
  return c.json<ErrorBody>({ error: { code: 'internal', message, details: { requestId } } }, 500)
}

type Report = (error: unknown, requestId: string) => void

interface KnownError {
  readonly status: ContentfulStatusCode
  readonly code: string
  readonly message: string
  readonly details?: Record<string, unknown>
  readonly headers?: Readonly<Record<string, string>>
}

function knownError(error: unknown): KnownError | null {
  if (error instanceof HTTPException) return ofFramework(error)
  const trouble = databaseTrouble(error)
  if (trouble) return ofDatabase(trouble)
  if (!(error instanceof DrawbridgeError)) return null
  const { code, message } = error
  const status = statusOf(error)
  if (status === null) return null
  const headers = error instanceof DoorError ? error.headers : {}
  const details = detailsOf(error)
  return {
    status,
    code,
    message,
    headers,
    ...(Object.keys(details).length > 0 && { details: { ...details } }),
  }
}

function detailsOf(error: DrawbridgeError): Readonly<Record<string, unknown>> {
  if (error instanceof DoorError || error instanceof TaskError) return error.details
  // Of a room that this one does not know.
  const isOther = [STATUS_OF_WORKSPACES, STATUS_OF_FILES].some((codes) => Object.hasOwn(codes, error.code))
  return isOther && 'details' in error ? (error.details as Record<string, unknown>) : {}
}

function statusOf({ code }: DrawbridgeError): ContentfulStatusCode | null {
  if (Object.hasOwn(STATUS_OF, code)) return STATUS_OF[code as DoorCode]
  if (Object.hasOwn(STATUS_OF_CODEX, code)) return STATUS_OF_CODEX[code]!
  if (Object.hasOwn(STATUS_OF_TRUST, code)) return STATUS_OF_TRUST[code]!
  if (Object.hasOwn(STATUS_OF_ACCOUNTS, code)) return STATUS_OF_ACCOUNTS[code]!
  if (Object.hasOwn(STATUS_OF_WORKSPACES, code)) return STATUS_OF_WORKSPACES[code]!
  if (Object.hasOwn(STATUS_OF_FILES, code)) return STATUS_OF_FILES[code]!
  return /^(?:codex|app-server)-/.test(code) ? 502 : null
}

/** Most last as long as a restart of the database. */
const RETRY_AFTER_SECONDS = 5

function ofDatabase({ code, message }: DrawbridgeError): KnownError {
  return { status: 503, code, message, headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } }
}

/** hono's own refusals: a body that is not JSON, or not said to be. */
function ofFramework({ status, message }: HTTPException): KnownError {
  if (status === 415) return { status, code: 'unsupported-media-type', message: 'send application/json' }
  return { status: 400, code: 'bad-request', message: message || 'the request cannot be read' }
}
