// Opens the thread of a task where it belongs: in the app-server that has it, else in the one for new threads.
import { type Codex, NothingToResumeError, type Thread, type ThreadPolicy } from '../codex/index.ts'
import type { Link, Links } from './links.ts'
import type { StoredTask } from './store/task-rows.ts'

export interface OpenedThread {
  readonly link: Link
  readonly codex: Codex
  readonly thread: Thread
}

export async function openThread(links: Links, row: StoredTask): Promise<OpenedThread> {
  const key = { codexPath: row.codex_path, codexHome: row.codex_home }
  const link = links.byId(row.app_server_id) ?? (await links.get(key))
  const codex = await link.codex()
  return { link, codex, thread: await openOn(codex, row) }
}

async function openOn(codex: Codex, row: StoredTask): Promise<Thread> {
  const policy = JSON.parse(row.policy) as ThreadPolicy
  const options = { ...policy, cwd: row.cwd }
  if (row.thread_id !== null) {
    try {
      return await codex.resumeThread(row.thread_id, options)
    } catch (error) {
      // A thread that codex had written nothing of leaves nothing behind: nothing is lost by starting another.
      const hasAnswered = row.turn_count > 1 || row.result !== null
      if (!(error instanceof NothingToResumeError) || hasAnswered) throw error
    }
  }
  const fork =
    row.fork_of === null ? null : (JSON.parse(row.fork_of) as { threadId: string; lastTurnId?: string })
  if (!fork) return codex.startThread(options)
  const { threadId, lastTurnId } = fork
  return codex.forkThread(threadId, { ...options, ...(lastTurnId !== undefined && { lastTurnId }) })
}

/** What codex says is in force. */
export function effectivePolicy({ settings }: Thread): Readonly<Record<string, unknown>> {
  const { model, modelProvider, reasoningEffort, approvalPolicy, approvalsReviewer, sandbox, cwd } = settings
  return { model, modelProvider, effort: reasoningEffort, approvalPolicy, approvalsReviewer, sandbox, cwd }
}
