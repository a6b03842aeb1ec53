import {
  type CodexNotification,
  type Decision,
  DrawbridgeError,
  type Incident,
  redact,
  type Thread,
  type TokenUsage,
  type TurnOutcome,
} from '../../codex/index.ts'
import { plainError } from '../errors/index.ts'
import { EXIT, isUnsuitable } from '../process/index.ts'

/** What `run` reports last: the turn's outcome, or why there was none. */
export interface RunResult {
  readonly status: 'completed' | 'interrupted' | 'failed' | 'timed-out'
  readonly text: string | null
  readonly threadId: string | null
  readonly turnId: string | null
  readonly usage: TokenUsage | null
  readonly error: { readonly code: string; readonly message: string } | null
}

/** Where a run is shown: JSON lines for programs, text for people. */
export interface RunView {
  opened(thread: Thread): void
  notification(notification: CodexNotification): void
  decision(decision: Decision): void
  incident(incident: Incident): void
  result(result: RunResult): void
}

export function resultOfOutcome(outcome: TurnOutcome): RunResult {
  const { threadId, turnId, text, usage } = outcome
  const known = { text, threadId, turnId, usage }
  switch (outcome.status) {
    case 'completed':
    case 'interrupted':
      return { status: outcome.status, ...known, error: null }
    case 'timed-out':
      return { status: outcome.status, ...known, error: timedOut(outcome.timeoutMs) }
    case 'detached':
      return { status: 'failed', ...known, error: goesOn(threadId) }
    case 'failed':
    case 'lost':
      return {
        status: 'failed',
        ...known,
        error: { code: outcome.error.code, message: redact(outcome.error.message) },
      }
  }
}

/** For a run that never got as far as a turn. */
export function resultOfError(error: unknown, threadId: string | null): RunResult {
  const code = error instanceof DrawbridgeError ? error.code : 'internal'
  const { text: message } = plainError(error)
  return {
    status: 'failed',
    text: null,
    threadId,
    turnId: null,
    usage: null,
    error: { code, message },
  }
}

/** For a run that was told to stop before it had a turn. */
export function interruptedResult(threadId: string | null): RunResult {
  return { status: 'interrupted', text: null, threadId, turnId: null, usage: null, error: null }
}

export function exitCode(result: RunResult, wasDeclined: boolean): number {
  if (result.status === 'completed') return wasDeclined ? EXIT.declined : EXIT.done
  if (result.status === 'interrupted') return EXIT.interrupted
  if (result.status === 'timed-out') return EXIT.timedOut
  if (result.error?.code === 'usage-limit') return EXIT.limited
  if (result.error?.code === 'bad-usage' || result.error?.code === 'bad-input') return EXIT.usage
  return isUnsuitable(result.error?.code ?? '') ? EXIT.unsuitable : EXIT.failed
}

function goesOn(threadId: string): { code: string; message: string } {
  return { code: 'detached', message: `the turn goes on without us: resume thread ${threadId} to follow it` }
}

function timedOut(timeoutMs: number): { code: string; message: string } {
  return { code: 'deadline', message: `the turn did not end within ${timeoutMs / 1_000} s` }
}
