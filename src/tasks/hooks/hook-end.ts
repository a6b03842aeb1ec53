// How an attempt ended, by its error and by who wanted it to end.
import { hasCode, redact } from '../../codex/index.ts'
import { cutText } from '../../util/cut-text.ts'
import { durationText } from '../model/index.ts'
import type { Hook } from './hook-set.ts'

export interface HookEnd {
  /** `cut`: nobody knows whether it finished. `away`: it has not begun, because its machine cannot be reached. */
  readonly state: 'done' | 'failed' | 'timed-out' | 'interrupted' | 'cut' | 'away'
  readonly problem: string | null
  readonly exitCode: number | null
  readonly error: unknown
}

interface Signals {
  /** The service stops. */
  readonly stopping: AbortSignal
  /** The task was interrupted. */
  readonly signal: AbortSignal
  readonly deadline: AbortSignal
}

export const STILL_RUNS = 'it did not end when it was told to, and may still run'
const MAX_PROBLEM = 1_000

export function endOf({ error }: { error: unknown }, hook: Hook, signals: Signals): HookEnd {
  const { message, exitCode } = Object(error) as { message?: unknown; exitCode?: unknown }
  const said = cutText(redact(typeof message === 'string' ? message : String(error)), MAX_PROBLEM)
  const still = said === STILL_RUNS ? `; ${STILL_RUNS}` : ''
  const none = { exitCode: null, error }
  if (signals.stopping.aborted)
    return { ...none, state: 'cut', problem: `the service was stopped while it ran${still}` }
  if (signals.signal.aborted)
    return { ...none, state: 'interrupted', problem: `the task was interrupted${still}` }
  if (signals.deadline.aborted)
    return {
      ...none,
      state: 'timed-out',
      problem: `it took longer than ${durationText(hook.timeoutMs)}${still}`,
    }
  if (hasCode(error, 'host-unreachable')) return { ...none, state: 'away', problem: said }
  if (hasCode(error, 'command-cut')) return { ...none, state: 'cut', problem: said }
  return { ...none, state: 'failed', problem: said, exitCode: typeof exitCode === 'number' ? exitCode : null }
}
