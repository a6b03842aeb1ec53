// Starts the turn of a message: opens the thread, and writes down what codex is about to get before it gets it.
import {
  hasCode,
  type Thread,
  ThreadBusyError,
  type ThreadPolicy,
  type Turn,
  type TurnInput,
} from '../../codex/index.ts'
import { type StoredMessage, type StoredTask, taskRow, updateMessage, updateTask } from '../../store/index.ts'
import type { Hooks } from '../hooks/index.ts'
import { isTrustAsOpened, keyOf, type Logins, openThread, storedPolicy, type TrustOf } from '../link/index.ts'
import { changeStatus, messageEvent, refreshWaiting } from '../log/index.ts'
import type { RunningAppServer, TaskAccounts, TaskWorkspaces } from '../model/index.ts'
import { type AttachParts, takeInUnsettled } from './attach.ts'
import { checkWithin } from './check-folder.ts'
import { ownRights, widened } from './policy-heard.ts'
import { policyInForce } from './policy-in-force.ts'
import type { Opened, Run } from './run.ts'
import { turnRequest } from './turn-request.ts'

export interface TurnStartParts extends AttachParts {
  readonly logins: Logins
  readonly accounts: TaskAccounts | null
  /** null: this service makes none. */
  readonly workspaces: Pick<TaskWorkspaces, 'prepare' | 'ended'> | null
  readonly hooks: Pick<Hooks, 'prepare'>
}

/** A task and the message it is to be given next. */
export interface Next {
  readonly row: StoredTask
  readonly message: StoredMessage
}

/**
 * null when the message was taken back, or the task interrupted, before codex got it. Rejects with `thread-busy` while a
 * turn that was begun elsewhere is yet to be taken up.
 */
export async function startTurn(
  run: Run,
  { row, message }: Next,
  parts: TurnStartParts,
): Promise<Turn | null> {
  if ((await prepare(run, row, parts)) === 'interrupted') return null
  const { thread, link } = await openedThread(run, row, parts)
  run.hold(link)
  await untilFree(run, thread)
  const request = turnRequest(row, message)
  const input = withNotice(request.input, row.model_notice)
  const options = { ...(hasOtherRights(run, row) && ownRights(policyOf(row), row)), ...request.options }
  const effective = await policyInForce(thread, options)
  if (row.account !== null && row.account_id !== null) await parts.accounts?.confirm(row.account_id)
  const isSending = await parts.log.change(async ({ db, now }) => {
    if (run.interruptedBy !== null) return false
    await updateTask(db, run.taskId, {
      thread_id: thread.id,
      app_server_id: link.appServer.id,
      // The home, and the account, that it was given for this turn.
      codex_home: row.codex_home,
      account_id: row.account_id,
      effective_policy: JSON.stringify(effective),
    })
    return updateMessage(db, message.id, { from: ['queued'], status: 'sending', updated_at: now })
  })
  if (!isSending) return null
  const turn = await thread.startTurn(input, options).catch((error) => {
    // Only the reply was lost: the turn that runs now is this one.
    if (hasCode(error, 'request-timeout') && thread.activeTurn) return thread.activeTurn
    throw error
  })
  run.mayBeChanged = false
  turn.discardEvents()
  await writeDelivered(run, { message, turn, policy: storedPolicy(thread) }, parts)
  return turn
}

async function prepare(run: Run, row: StoredTask, parts: TurnStartParts): Promise<'ready' | 'interrupted'> {
  await parts.workspaces?.prepare(row)
  // A hook runs outside of the sandbox: not in a folder that its token may not use.
  await checkWithin(row, parts.hosts)
  run.preparing = new AbortController()
  const signal = AbortSignal.any([run.preparing.signal, run.cancel.signal, parts.links.signal])
  if (run.interruptedBy !== null) return 'interrupted'
  return parts.hooks.prepare(row, { signal }).finally(() => {
    run.preparing = null
  })
}

export async function openedThread(run: Run, row: StoredTask, parts: TurnStartParts): Promise<Opened> {
  await checkWithin(row, parts.hosts)
  await leaveIfTrustChanged(run, row, parts.trustOf)
  return run.openOnce(() => openNow(run, row, parts))
}

async function openNow(run: Run, row: StoredTask, parts: TurnStartParts): Promise<Opened> {
  const { links, trustOf, toolsOf, hosts, logins, receiver } = parts
  const { open } = run
  if (open) {
    await logins.require(open.link, keyOf(row))
    return open
  }
  const listenerOf = (appServer: RunningAppServer) => receiver.listenerOf(run, appServer)
  const opened = run.setOpened(await openThread({ links, trustOf, toolsOf, hosts, logins, listenerOf }, row))
  const { codex, thread } = opened
  // Behind a turn from here they would not be found any more. A history that cannot be read costs the message nothing.
  if (thread.id === row.thread_id)
    await takeInUnsettled(run, row, { codex, active: thread.activeTurn, parts }).catch(() => {})
  return opened
}

/** codex takes permissions only when it opens a thread: one without subscribers is opened anew by a resume. */
async function leaveIfTrustChanged(run: Run, row: StoredTask, trustOf: TrustOf): Promise<void> {
  if (run.open) await untilFree(run, run.open.thread)
  const { open } = run
  if (!open) return
  // Its machine was away when it was opened, and codex was not told what is protected there.
  const isUnplaced = open.thread.environment?.id === null
  if (!open.isFound && !isUnplaced && isTrustAsOpened(open.thread, row, trustOf)) return
  await open.codex.request('thread/unsubscribe', { threadId: open.thread.id })
  run.setClosed()
}

/** A turn begun elsewhere is the task's next one. Another that still runs was given up, and is waited for. */
async function untilFree(run: Run, thread: Thread): Promise<void> {
  const { elsewhere, cancel } = run
  while (!cancel.signal.aborted) {
    const active = thread.activeTurn
    // A start that was interrupted is backed out of before turns that have ended are taken up.
    const isNext = active !== null || run.interruptedBy === null
    if (elsewhere.length > 0 && isNext) throw new ThreadBusyError(thread.id)
    if (!active) return
    active.discardEvents()
    await active.outcome
  }
}

/** codex keeps what another client's turn was given for those that follow. */
function hasOtherRights(run: Run, row: StoredTask): boolean {
  return run.mayBeChanged || (run.heard !== null && widened(policyOf(row), run.heard).length > 0)
}

export function policyOf({ policy }: StoredTask): ThreadPolicy {
  return JSON.parse(policy) as ThreadPolicy
}

/** What the model is to know, before the words of the user. */
function withNotice(input: TurnInput, notice: string | null): TurnInput {
  if (notice === null) return input
  const words =
    typeof input === 'string' ? [{ type: 'text' as const, text: input, text_elements: [] }] : input
  return [{ type: 'text' as const, text: notice, text_elements: [] }, ...words]
}

async function writeDelivered(
  run: Run,
  { message, turn, policy }: { message: StoredMessage; turn: Turn; policy: string },
  { log }: TurnStartParts,
): Promise<void> {
  const { taskId } = run
  run.turn = turn
  run.forgetFailedStarts()
  await log.change(async (change) => {
    const row = await taskRow(change.db, taskId)
    const columns = { status: 'delivered', turn_id: turn.id, updated_at: change.now }
    await updateMessage(change.db, message.id, { from: ['sending'], ...columns })
    const delivered = messageEvent(message, { status: 'delivered', turnId: turn.id })
    change.emit(taskId, 'drawbridge/message', delivered)
    await changeStatus(change, taskId, {
      status: 'working',
      reason: 'codex works on it',
      evidence: { turnId: turn.id },
      more: {
        ...{ turn_id: turn.id, turn_count: (row?.turn_count ?? 0) + 1, policy, failure: null },
        // Codex has it.
        model_notice: null,
      },
    })
    // A question can arrive before turn/start's reply.
    const { isWaiting } = await refreshWaiting(change, taskId)
    change.after(() => run.pause(isWaiting))
  })
}
