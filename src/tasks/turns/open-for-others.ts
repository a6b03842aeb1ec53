// Opens the thread of a task that rests, so that other clients of its app-server can resume it.
import { hasCode, type TurnOptions } from '../../codex/index.ts'
import { type StoredTask, updateTask } from '../../store/index.ts'
import { ownRights } from './policy-heard.ts'
import { policyInForce } from './policy-in-force.ts'
import type { Opened, Run } from './run.ts'
import { openedThread, policyOf, type TurnStartParts } from './turn-start.ts'

export async function openForOthers(run: Run, row: StoredTask, parts: TurnStartParts): Promise<Opened> {
  await parts.log.open(run.taskId)
  const opened = await openedThread(run, row, parts)
  const { thread, codex, link } = opened
  // A thread without a turn is written down, and can be resumed by others, only once it has a name (0.166).
  if (row.turn_count === 0) await codex.request('thread/name/set', { threadId: thread.id, name: row.title })
  const options = ownRights(policyOf(row), row)
  if (!thread.activeTurn) await shareRights(opened, options)
  const effective = await policyInForce(thread, options)
  await parts.log.change(({ db }) =>
    updateTask(db, row.id, {
      thread_id: thread.id,
      app_server_id: link.appServer.id,
      effective_policy: JSON.stringify(effective),
    }),
  )
  return opened
}

/** Turns that others begin have the rights that one from here would have. */
async function shareRights({ codex, thread }: Opened, options: TurnOptions): Promise<void> {
  const { params } = await thread.rightsOf(options)
  const { sandboxPolicy, permissions, approvalPolicy, approvalsReviewer, cwd } = params
  const rights = { sandboxPolicy, permissions, approvalPolicy, approvalsReviewer, cwd }
  await codex.request('thread/settings/update', { threadId: thread.id, ...rights }).catch((error) => {
    // Older versions: they have those of the turn before, and before the first they are read-only.
    if (!hasCode(error, 'rpc-error')) throw error
  })
}
