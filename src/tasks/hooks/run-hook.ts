// One attempt of one hook, on record before it begins and when it has ended.
import { setTimeout as delay } from 'node:timers/promises'
import {
  type EventLog,
  type StoredHookRun,
  type StoredTask,
  taskRow,
  updateHookRun,
} from '../../store/index.ts'
import type { HookFacts, HookTask } from '../model/index.ts'
import { taskFacts, variablesOf } from './facts.ts'
import { endOf, type HookEnd, STILL_RUNS } from './hook-end.ts'
import { HookOutput, type OutputPiece, type OutputStream } from './hook-output.ts'
import type { Hook } from './hook-set.ts'

export interface RunHookParts {
  readonly log: Pick<EventLog, 'change'>
  /** Aborts when the service stops. */
  readonly stopping: AbortSignal
  readonly now: () => number
}

/** How long one that was told to end may take. Commands are killed by then. */
const END_MS = 10_000
const STARTABLE = ['planned', 'failed', 'timed-out', 'interrupted', 'cut']

/** null: it is gone, or another has begun it. */
export async function runHook(
  hook: Hook,
  { run, row, labels }: { run: StoredHookRun; row: StoredTask; labels: readonly string[] },
  { signal, parts }: { signal: AbortSignal; parts: RunHookParts },
): Promise<HookEnd | null> {
  const { log, now } = parts
  const attempt = run.attempt + 1
  const event = { runId: run.id, hook: hook.name, on: hook.on, title: hook.title, attempt }
  const begun = await log.change(async (change) => {
    const columns = { state: 'running', attempt, process: null, problem: null, ended_at: null }
    const isOurs = await updateHookRun(change.db, run.id, {
      ...{ from: STARTABLE, ...columns, started_at: change.now },
    })
    if (isOurs) change.emit(row.id, 'drawbridge/hook', { ...event, status: 'started', ...NOTHING_YET })
    return isOurs
  })
  if (!begun) return null
  const beganAt = now()
  // How it ended, should it have gone on since.
  const { ended, ...told } = JSON.parse(run.facts) as { ended?: Pick<HookTask, 'status' | 'reason'> }
  const task = { ...taskFacts(row, labels), ...ended }
  const facts: HookFacts = { ...{ event: hook.on, hook: hook.name, attempt, task }, ...told }
  const output = new HookOutput((pieces) => {
    write(row.id, { runId: run.id, attempt, pieces }, parts).catch(() => {})
  })
  const end = await attemptOf(hook, { run: { ...run, attempt }, facts, output }, { signal, parts })
  output.end()
  const how = { exitCode: end.exitCode, problem: end.problem, durationMs: now() - beganAt }
  await log.change(async (change) => {
    const { problem } = end
    const isAgain = end.state === 'cut' && hook.repeatable && hook.on !== 'before'
    const state = isAgain || end.state === 'away' ? 'planned' : end.state
    const columns = { state, problem, process: null, ended_at: change.now }
    const isOurs = await updateHookRun(change.db, run.id, { from: ['running'], ...columns })
    const status = statusOf(end, parts)
    if (isOurs)
      change.emit(row.id, 'drawbridge/hook', { ...event, status, ...how, outputBytes: output.bytes })
  })
  return end
}

function statusOf({ state }: HookEnd, { stopping }: RunHookParts) {
  if (state === 'away') return 'failed'
  if (state !== 'cut') return state
  return stopping.aborted ? 'interrupted' : 'unknown'
}

const NOTHING_YET = { exitCode: null, durationMs: null, problem: null, outputBytes: null }

/** Marks what it starts: another attempt has another. */
export function markerOf({ id, attempt }: Pick<StoredHookRun, 'id' | 'attempt'>): string {
  return `hook-${id}-${attempt}`
}

/** Never rejects. */
async function attemptOf(
  hook: Hook,
  { run, facts, output }: { run: StoredHookRun; facts: HookFacts; output: HookOutput },
  { signal, parts }: { signal: AbortSignal; parts: RunHookParts },
): Promise<HookEnd> {
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(new DOMException('too late', 'TimeoutError')), hook.timeoutMs)
  const either = AbortSignal.any([signal, parts.stopping, deadline.signal])
  const context = {
    marker: markerOf(run),
    cwd: facts.task.cwd,
    env: variablesOf(facts),
    signal: either,
    write: (text: string, stream?: OutputStream) => output.write(text, stream),
    started: (process: object) => void noteProcess(run.id, process, parts).catch(() => {}),
  }
  const work = (async () => hook.run(facts, context))().then(
    () => null,
    (error: unknown) => ({ error }),
  )
  const over = new AbortController()
  try {
    const failed = await Promise.race([work, givenUp(either, over.signal)])
    // One that was done at the same moment is done.
    if (failed === null) return { state: 'done', problem: null, exitCode: 0, error: null }
    return endOf(failed, hook, { deadline: deadline.signal, stopping: parts.stopping, signal })
  } finally {
    over.abort()
    clearTimeout(timer)
  }
}

async function givenUp(signal: AbortSignal, over: AbortSignal): Promise<{ error: unknown }> {
  const { promise, resolve } = Promise.withResolvers<void>()
  signal.addEventListener('abort', () => resolve(), { once: true, signal: over })
  if (!signal.aborted) await promise
  await delay(END_MS, undefined, { signal: over }).catch(() => {})
  return { error: new Error(STILL_RUNS) }
}

async function write(
  taskId: string,
  { pieces, ...of }: { runId: string; attempt: number; pieces: readonly OutputPiece[] },
  { log }: RunHookParts,
): Promise<void> {
  await log.change(async (change) => {
    // An event without its task would break the log.
    if (!(await taskRow(change.db, taskId))) return
    for (const piece of pieces) change.emit(taskId, 'drawbridge/hook-output', { ...of, ...piece })
  })
}

async function noteProcess(id: string, process: object, { log }: RunHookParts): Promise<void> {
  await log.change(({ db }) => updateHookRun(db, id, { from: ['running'], process: JSON.stringify(process) }))
}
