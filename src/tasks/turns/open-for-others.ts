// Opens the thread of a task that rests, so that other clients of its app-server can resume it.
import { hasCode } from '../../codex/index.ts'
import { type StoredTask, updateTask } from '../../store/index.ts'
import { type AttachParts, takeInUnsettled } from './attach.ts'
import { ownRights } from './policy-heard.ts'
import { policyInForce } from './policy-in-force.ts'
import type { Opened, Run } from './run.ts'
import { openedThread, policyOf, type TurnStartParts } from './turn-start.ts'

export async function openForOthers(
  run: Run,
  row: StoredTask,
  parts: TurnStartParts & AttachParts,
): Promise<Opened> {
  await parts.log.open(run.taskId)
  const opened = await openedThread(run, row, parts)
  const { thread, codex, link } = opened
  // A thread without a turn is written down, and can be resumed by others, only once it has a name (0.166).
  if (row.turn_count === 0) await codex.request('thread/name/set', { threadId: thread.id, name: row.title })
  const options = ownRights(policyOf(row), row)
  if (!thread.activeTurn)
    await thread.shareRights(options).catch((error) => {
      // Older versions: turns begun elsewhere have the rights of the turn before, at most read-only before the first.
      if (!hasCode(error, 'rpc-error')) throw error
    })
  await parts.log.change(({ db }) =>
    updateTask(db, row.id, {
      thread_id: thread.id,
      app_server_id: link.appServer.id,
      effective_policy: JSON.stringify(policyInForce(thread, options)),
    }),
  )
  if (thread.id === row.thread_id)
    await takeInUnsettled(run, row, { codex, active: thread.activeTurn, parts })
  return opened
}
