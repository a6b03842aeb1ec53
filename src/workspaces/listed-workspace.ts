// Workspaces as lists show them, and why one is kept when others are cleaned away.
import path from 'node:path'
import { hasEnded, type StoredWorkspace, type TaskStatus } from '../store/index.ts'
import type { Loss } from './remove.ts'
import { WorkspaceError } from './workspace-error.ts'

/** A workspace as lists show it. */
export interface ListedWorkspace {
  readonly row: StoredWorkspace
  readonly task: { readonly id: string; readonly title: string; readonly status: string } | null
  readonly bytes: number | null
  readonly loss: Loss | null
  /** Why that could not be told. */
  readonly problem: string | null
}

/** A list does not wait longer for a host. */
const LIST_MS = 10_000

/** Of a host that is away, not for ever. */
export async function inTime<T>({ host }: StoredWorkspace, work: Promise<T>): Promise<T> {
  if (host === null) return work
  const { promise, reject } = Promise.withResolvers<never>()
  const late = () => reject(new WorkspaceError('workspace-gone', `${host} does not answer`))
  const timer = setTimeout(late, LIST_MS)
  work.catch(() => {})
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}

/** null: nothing needs it any more. */
export function whyKept(
  { row, task, loss, problem, before }: Omit<ListedWorkspace, 'bytes'> & { readonly before: number },
  isHere: boolean,
): string | null {
  if (!isHere) return 'it is on the machine of another worker'
  if (task && !hasEnded(task.status as TaskStatus)) return `its task is ${task.status}`
  if (task && task.status === 'idle') return 'its task is idle, and waits for more'
  if (row.created_at > before) return 'it is not old enough'
  if (problem !== null && row.state === 'ready') return problem
  if (isNamedByPerson(row)) return `a person named its folder, ${row.folder} (--into): remove it by its name`
  if (loss)
    return `it has ${loss.files.length} uncommitted files and ${loss.commits.length} commits that are nowhere else`
  return null
}

/** Not one among the workspaces, which have the names of their rows. */
function isNamedByPerson({ id, kind, folder }: StoredWorkspace): boolean {
  return kind === 'snapshot' && path.basename(folder) !== id
}
