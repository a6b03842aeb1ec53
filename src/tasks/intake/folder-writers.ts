// Two tasks never write to one folder by accident.
import type { ThreadPolicy } from '../../codex/index.ts'
import { type Db, lockFolders, tasksAtWork } from '../../store/index.ts'
import { isInside } from '../../util/is-inside.ts'
import { rootsOf, TaskError } from '../model/index.ts'

interface Writer {
  readonly cwd: string
  /** As it is stored. */
  readonly workspace: string | null
  /** As it is stored. */
  readonly policy: string
  readonly host: string | null
}

/**
 * In the change that stores a new task. Throws `folder-in-use` when another that may write is at work in its folder. The
 * task that starts it knows where it does: its parent is no accident.
 */
export async function refuseSecondWriter(
  db: Db,
  { cwd, policy, host, workspace }: Writer,
  { parent = null }: { readonly parent?: string | null } = {},
): Promise<void> {
  if (host !== null || !mayWrite(policy)) return
  await lockFolders(db)
  const others = await tasksAtWork(db)
  const own = rootsOf({ cwd, workspace }) ?? [cwd]
  const isHere = (task: { readonly cwd: string; readonly workspace: string | null }) =>
    (rootsOf(task) ?? [task.cwd]).some((one) => own.some((folder) => overlap(one, folder)))
  const other = others.find((task) => task.id !== parent && mayWrite(task.policy) && isHere(task))
  if (!other) return
  throw new TaskError(
    'folder-in-use',
    `the task ${other.id} (${other.title}) works in ${other.cwd} and may write there: wait for it, use a worktree, or share the folder`,
    { details: { taskId: other.id, title: other.title, cwd: other.cwd } },
  )
}

function mayWrite(stored: string): boolean {
  const { sandbox, permissions } = JSON.parse(stored) as ThreadPolicy
  if (permissions !== undefined) return permissions !== ':read-only'
  return sandbox === 'workspace-write' || sandbox === 'danger-full-access'
}

function overlap(one: string, other: string): boolean {
  return one === other || isInside([one], other) || isInside([other], one)
}
