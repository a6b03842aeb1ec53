// What runs before the first turn of a task in its workspace: once, in order, each known by its row.

import { HostUnreachableError } from '../../codex/index.ts'
import {
  type Change,
  hookRunsOfTask,
  insertHookRuns,
  type StoredHookRun,
  type StoredTask,
  taskRow,
  updateHookRun,
  workspaceOfTask,
} from '../../store/index.ts'
import { cutText } from '../../util/cut-text.ts'
import { changeStatus } from '../log/index.ts'
import { TaskError } from '../model/index.ts'
import type { Hook } from './hook-set.ts'
import { newRun } from './new-run.ts'
import { type RunHookParts, runHook } from './run-hook.ts'

export interface BeforeParts extends RunHookParts {
  readonly workerId: string | null
}

interface Occasion {
  readonly row: StoredTask
  readonly labels: readonly string[]
  readonly signal: AbortSignal
}

const MAX_TITLE = 100

export async function runBefore(
  hooks: readonly Hook[],
  occasion: Occasion,
  parts: BeforeParts,
): Promise<'ready' | 'interrupted'> {
  const runs = await parts.log.change((change) => planned(change, hooks, occasion.row, parts))
  let hasRun = false
  for (const hook of hooks) {
    const run = runs.get(hook.name)
    if (!run || isSettled(run, hook)) continue
    if (run.state === 'cut' && !hook.repeatable) {
      await settleCut(run, hook, parts)
      continue
    }
    hasRun = true
    const row = await tellRunning(hook, occasion, parts)
    const end = await runHook(hook, { run, row, labels: occasion.labels }, { signal: occasion.signal, parts })
    if (end === null || end.state === 'interrupted' || parts.stopping.aborted) return 'interrupted'
    if (end.state === 'away') throw end.error
    if (end.state === 'cut') await afterCut({ ...run, problem: end.problem }, { hook, row, parts })
    if (end.state !== 'done' && end.state !== 'cut' && hook.onFailure === 'stop')
      throw failed(hook, end.problem)
  }
  if (hasRun) await tellOver(occasion, parts)
  return occasion.signal.aborted ? 'interrupted' : 'ready'
}

/** The runs of this workspace, by the names of their hooks. */
async function planned(
  { db, now }: Change,
  hooks: readonly Hook[],
  row: StoredTask,
  { workerId }: BeforeParts,
): Promise<ReadonlyMap<string, StoredHookRun>> {
  const workspace = row.workspace === null ? undefined : await workspaceOfTask(db, row.id)
  // A scratch folder that was made again has another time.
  const place = workspace ? `${workspace.id} ${workspace.made_at}` : 'folder'
  const subject = workerId === null ? place : `${place} ${workerId}`
  const columns = { task_id: row.id, worker_id: workerId, subject, facts: '{}', now }
  await insertHookRuns(
    db,
    hooks.map((hook, position) => newRun(hook, { ...columns, position })),
  )
  const runs = await hookRunsOfTask(db, row.id)
  return new Map(
    runs.filter((run) => run.event === 'before' && run.subject === subject).map((run) => [run.hook, run]),
  )
}

/** A failure that the task goes on after is settled too. After one that stopped it, somebody has resumed it. */
function isSettled({ state }: StoredHookRun, { onFailure }: Hook): boolean {
  if (state === 'done' || state === 'skipped') return true
  return onFailure === 'go on' && (state === 'failed' || state === 'timed-out')
}

/** The way to its machine was lost: what may run again does so when that is back. */
async function afterCut(
  run: StoredHookRun,
  { hook, row, parts }: { hook: Hook; row: StoredTask; parts: BeforeParts },
): Promise<void> {
  if (hook.repeatable) throw new HostUnreachableError(row.host ?? 'of the task', run.problem)
  await settleCut(run, hook, parts)
}

/** It counts as failed. Should somebody resume the task, who has been told, it runs again. */
async function settleCut({ id, problem }: StoredHookRun, hook: Hook, { log }: BeforeParts): Promise<void> {
  await log.change(({ db }) => updateHookRun(db, id, { from: ['cut'], state: 'failed', problem }))
  if (hook.onFailure === 'stop') throw unknown(hook, problem)
}

/** The task as it is then. */
async function tellRunning(
  { name, title }: Hook,
  { row }: Occasion,
  { log }: BeforeParts,
): Promise<StoredTask> {
  return log.change(async (change) => {
    const reason = `hook-running: ${cutText(title, MAX_TITLE)}`
    await changeStatus(change, row.id, { status: 'starting', reason, evidence: { hook: name } })
    return (await taskRow(change.db, row.id)) ?? row
  })
}

async function tellOver({ row, signal }: Occasion, { log }: BeforeParts): Promise<void> {
  if (signal.aborted) return
  await log.change((change) =>
    changeStatus(change, row.id, { status: 'starting', reason: 'its thread is being opened' }),
  )
}

function failed({ name, title }: Hook, problem: string | null): TaskError {
  const shown = title === name ? name : `${name} (${title})`
  return new TaskError(
    'hook-failed',
    `the hook ${shown} failed before the first turn: ${problem ?? 'no reason given'}. Its output is in the log of the ` +
      'task; resume the task to run the hook again',
    { details: { hook: name } },
  )
}

function unknown({ name }: Hook, problem: string | null): TaskError {
  return new TaskError(
    'hook-failed',
    `nobody knows whether the hook ${name} finished (${problem ?? 'it was cut off'}), and it is not marked repeatable. ` +
      'Look at the folder of the task, then resume the task to run the hook again',
    { details: { hook: name } },
  )
}
