// The account of a task, before each of its turns: which one it is, and that its login may be used.
import type { ThreadPolicy } from '../../codex/index.ts'
import { type EventLog, type StoredTask, updateTask } from '../../store/index.ts'
import type { Logins } from '../link/index.ts'
import { type BorrowingTask, type TaskAccounts, TaskError } from '../model/index.ts'
import type { Run } from './run.ts'
import type { Next } from './turn-start.ts'

interface BorrowParts {
  readonly accounts: TaskAccounts | null
  readonly log: EventLog
  readonly onLimitOver: (taskId: string) => void
}

/** What is to be done next, on the account that it is done with. Rejects with `account-busy` when none can be had now. */
export async function borrow(run: Run, next: Next, { accounts, log }: BorrowParts): Promise<Next> {
  const { row } = next
  const task = borrowing(row)
  if (!task) return next
  if (!accounts) throw new TaskError('not-supported', 'this service keeps no accounts')
  const { id, name, codexHome, why } = await accounts.borrow(task)
  if (row.codex_home === codexHome) return next
  await leave(run)
  if (why !== null)
    await log.change(async ({ emit }) =>
      emit(row.id, 'drawbridge/account', { account: name, before: row.account_id, why }),
    )
  return { ...next, row: { ...row, account_id: id, codex_home: codexHome, app_server_id: null } }
}

/** null: it borrows none. */
function borrowing(row: StoredTask): BorrowingTask | null {
  const { id, account, account_id: accountId, thread_id: threadId, codex_home: codexHome } = row
  if (account === null) return null
  const { model = null } = JSON.parse(row.policy) as ThreadPolicy
  const onLimit = row.on_limit as BorrowingTask['onLimit']
  const isOfToken = row.created_by !== null
  return { id, account, accountId, threadId, codexHome, onLimit, model, isOfToken }
}

/** Its thread goes on elsewhere. */
async function leave(run: Run): Promise<void> {
  const { open } = run
  if (!open) return
  await open.codex.request('thread/unsubscribe', { threadId: open.thread.id }).catch(() => {})
  run.setClosed()
}

interface Limited {
  readonly row: StoredTask
  readonly run: Run | undefined
}

/** The account of a task is at its limit, or no longer. One that may go on with another does so at once. Never waits. */
export function noteLimit(limited: Limited, until: number | null, parts: BorrowParts): void {
  // What cannot be switched stays parked.
  void limitMet(limited, until, parts).catch(() => {})
}

async function limitMet(
  { row, run }: Limited,
  until: number | null,
  { accounts, log, onLimitOver }: BorrowParts,
): Promise<void> {
  const task = borrowing(row)
  if (!accounts || !task?.accountId) return
  await accounts.noteLimit(task.accountId, until)
  const other = until === null ? null : await accounts.switchFrom(task)
  if (!other) return
  if (run) await leave(run)
  await log.change(async ({ db, emit }) => {
    await updateTask(db, row.id, { account_id: other.id, codex_home: other.codexHome, app_server_id: null })
    emit(row.id, 'drawbridge/account', { account: other.name, before: task.accountId, why: other.why ?? '' })
  })
  onLimitOver(row.id)
}

/** A turn failed because its login was refused: its app-server takes no more threads, and its account is checked. */
export function loginRefused(
  { row, run }: { readonly row: StoredTask | undefined; readonly run: Run },
  { accounts, logins }: Pick<BorrowParts, 'accounts'> & { readonly logins: Pick<Logins, 'refused'> },
): void {
  if (run.opened) logins.refused(run.opened.link)
  if (row?.account_id != null) accounts?.noteRefused(row.account_id)
}
