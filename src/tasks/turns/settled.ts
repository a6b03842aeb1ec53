// How a turn ended, and what status its task has then. Pure.
import { type Failure, type protocol, type TurnOutcome, toFailure } from '../../codex/index.ts'
import type { TaskStatus } from '../../store/index.ts'
import { durationText, type Evidence, type TaskResult, timeText } from '../model/index.ts'

/** The end of a turn, whether we heard it or read it in the thread's history. */
export interface Settled {
  readonly turnId: string
  readonly status: 'completed' | 'interrupted' | 'failed' | 'timed-out' | 'lost'
  readonly text: string | null
  readonly failure: Failure | null
  readonly evidence: Evidence
  /** Why it was lost, where codex itself may be well. */
  readonly reason?: string
  /** Messages of the turn that died with codex before it had written them down. */
  readonly unsaved?: readonly string[]
  /** When it was, where codex's history tells; in milliseconds. */
  readonly times?: { readonly startedAt: number | null; readonly endedAt: number | null }
}

/** A turn that was left running has not ended. */
type EndedOutcome = Exclude<TurnOutcome, { status: 'detached' }>

export function settledByOutcome(outcome: EndedOutcome): Settled {
  const { turnId, status, text } = outcome
  const failure = status === 'failed' || status === 'lost' ? outcome.error : null
  return { turnId, status, text, failure, evidence: evidenceOf(outcome) }
}

function evidenceOf(outcome: EndedOutcome): Evidence {
  const seen = { turnId: outcome.turnId, codexSaid: outcome.status }
  if (outcome.status === 'interrupted') return { ...seen, by: outcome.by }
  if (outcome.status === 'timed-out') return { ...seen, timeoutMs: outcome.timeoutMs }
  if (outcome.status === 'completed' && outcome.hasUnansweredInput)
    return { ...seen, hasUnansweredInput: true }
  if (outcome.status === 'failed' || outcome.status === 'lost')
    return { ...seen, codexErrorInfo: outcome.error.info, stderrTail: outcome.error.stderrTail }
  return seen
}

/** null while it runs. */
export function settledByHistory(turn: protocol.v2.Turn): Settled | null {
  if (turn.status === 'inProgress') return null
  const evidence = { turnId: turn.id, codexSaid: turn.status, readFrom: 'the history of the thread' }
  const failure =
    turn.status === 'failed' ? toFailure(turn.error ?? { message: 'codex gave no reason' }) : null
  const times = { startedAt: inMs(turn.startedAt), endedAt: inMs(turn.completedAt) }
  return { turnId: turn.id, status: turn.status, text: finalText(turn), failure, evidence, times }
}

function inMs(seconds: unknown): number | null {
  return typeof seconds === 'number' ? seconds * 1_000 : null
}

/** codex is gone and its history does not say that the turn ended. */
export function settledByDeath(
  turnId: string,
  { reason, history, failure }: { reason: string; history: string; failure: Failure },
): Settled {
  const evidence = { turnId, appServer: reason, history, stderrTail: failure.stderrTail }
  return { turnId, status: 'lost', text: null, failure, evidence }
}

function finalText({ items }: protocol.v2.Turn): string | null {
  const messages = (Array.isArray(items) ? items : [])
    .filter((item) => item.type === 'agentMessage')
    .filter(({ delivery }) => delivery !== 'async')
  const final = messages.findLast(({ phase }) => phase === 'final_answer')
  return (final ?? messages.at(-1))?.text ?? null
}

/** What becomes of the task. */
export interface NextStatus {
  readonly status: TaskStatus
  readonly reason: string
  readonly evidence: Evidence
  readonly result: TaskResult | null
  readonly failure: Failure | null
  readonly limitedUntil: number | null
}

export interface Circumstances {
  readonly now: number
  readonly keepOpen: boolean
  readonly hasOutputSchema: boolean
  /** What a turn of the task may take. */
  readonly timeoutMs: number | null
  /** How often it has come back from a limit by itself since it last got somewhere. */
  readonly limitResumes: number
  /** Who wanted the turn to end, as far as it is known. */
  readonly interruptedBy: string | null
  /** The question of the turn whose answer was to end it. */
  readonly cancelled: { readonly title: string; readonly actor: string | null } | null
}

/** So often in a row a task comes back from a limit by itself. */
const MAX_LIMIT_RESUMES = 5
/** When codex does not say when a limit ends: those of a minute are tried soon, and then less and less often. */
const UNKNOWN_LIMIT_MS = 15 * 60 * 1_000
const UNKNOWN_RATE_MS = 60 * 1_000
/** A limit whose time has come, or nearly: codex's clock and ours need not agree. */
const SHORTEST_LIMIT_MS = 1_000

export function nextStatus(settled: Settled, circumstances: Circumstances): NextStatus {
  const { failure, evidence } = settled
  const result = settled.text === null ? null : resultOf(settled, circumstances)
  const base = { evidence, result, failure, limitedUntil: null }
  switch (settled.status) {
    case 'completed':
      return { ...base, ...whenDone(settled, circumstances) }
    case 'interrupted':
      return { ...base, status: 'interrupted', reason: whyInterrupted(evidence, circumstances) }
    case 'timed-out':
      return {
        ...base,
        status: 'timed-out',
        reason: `the turn took longer than ${durationText(circumstances.timeoutMs ?? Number(evidence.timeoutMs))}`,
      }
    case 'lost':
      return {
        ...base,
        status: 'lost',
        reason: settled.reason ?? `codex died during the turn: ${failure?.message ?? 'no reason given'}`,
      }
    case 'failed':
      return { ...base, ...afterFailure(failure!, circumstances) }
  }
}

function whenDone(
  { text, evidence }: Settled,
  { keepOpen, hasOutputSchema }: Circumstances,
): Pick<NextStatus, 'status' | 'reason' | 'evidence'> {
  const status = keepOpen ? 'idle' : 'completed'
  const outputError = hasOutputSchema ? parsed(text ?? '').error : null
  if (outputError !== null)
    return {
      status,
      reason: 'the turn is done, but its answer is not the JSON that was asked for',
      evidence: { ...evidence, outputError },
    }
  return { status, reason: keepOpen ? 'the turn is done; it can take another' : 'the turn is done', evidence }
}

function afterFailure(
  failure: Failure,
  { now, limitResumes }: Circumstances,
): Pick<NextStatus, 'status' | 'reason' | 'limitedUntil'> {
  const isLimit = failure.code === 'usage-limit' || failure.code === 'rate-limit'
  if (!isLimit) return { status: 'failed', reason: whyFailed(failure), limitedUntil: null }
  if (limitResumes >= MAX_LIMIT_RESUMES)
    return {
      status: 'failed',
      reason: `the account's limit was hit ${limitResumes + 1} times in a row: ${failure.message}`,
      limitedUntil: null,
    }
  const unknownMs = failure.code === 'rate-limit' ? UNKNOWN_RATE_MS * 2 ** limitResumes : UNKNOWN_LIMIT_MS
  const resetAt = failure.resetAt?.getTime() ?? now + unknownMs
  const limitedUntil = Math.max(resetAt, now + SHORTEST_LIMIT_MS)
  const next = failure.resetAt
    ? 'It resumes by itself at'
    : 'Codex did not say when it ends: it is tried again at'
  return {
    status: 'limited',
    reason: `${sentence(failure.message)} ${next} ${timeText(limitedUntil)}`,
    limitedUntil,
  }
}

function whyFailed({ code, message, hint }: Failure): string {
  const advice = code === 'other' ? '' : ` ${sentence(`${hint[0]!.toUpperCase()}${hint.slice(1)}`)}`
  return `${sentence(message)}${advice}`
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

function whyInterrupted({ by }: Evidence, { interruptedBy, cancelled }: Circumstances): string {
  if (by === 'user') return `it was interrupted${interruptedBy === null ? '' : ` by ${interruptedBy}`}`
  if (by === 'shutdown') return 'the service was stopped during the turn'
  if (cancelled) return `${cancelled.actor ?? 'a rule'} answered "${cancelled.title}" with cancel`
  return 'codex ended the turn before it was done'
}

function resultOf({ turnId, text }: Settled, { hasOutputSchema }: Circumstances): TaskResult {
  return { turnId, text: text!, output: hasOutputSchema ? parsed(text!).value : null, isCut: false }
}

function parsed(text: string): { value: unknown; error: string | null } {
  try {
    return { value: JSON.parse(text), error: null }
  } catch (error) {
    return { value: null, error: (error as Error).message }
  }
}
