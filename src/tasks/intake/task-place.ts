// The workspace of a new task, where it does not work in a folder of the user's.
import { type EventLog, type StoredTask, taskRowByKey } from '../../store/index.ts'
import { type PlannedWorkspace, type StartTask, TaskError, type TaskWorkspaces } from '../model/index.ts'

interface PlaceParts {
  /** null: this service makes none. */
  readonly workspaces: Pick<TaskWorkspaces, 'plan' | 'planFork'> | null
}

/** null: in the folder itself. */
export async function placeOf(
  { workspace, host, cwd, idempotencyKey, snapshots }: StartTask,
  { isHere, log, workspaces }: PlaceParts & { readonly isHere: boolean; readonly log: EventLog },
): Promise<PlannedWorkspace | null> {
  if (workspace?.kind === 'folder' && workspace.also?.length)
    throw new TaskError(
      'bad-request',
      'a folder has no further repositories: use a worktree, or leave them out',
    )
  if (workspace?.also?.length && snapshots !== undefined && snapshots !== 'off')
    throw new TaskError(
      'bad-request',
      'no snapshots are taken of a task in several repositories: leave them, or the further repositories, out',
    )
  if (workspace === undefined || workspace.kind === 'folder') return null
  // One that was started before has its own.
  if (idempotencyKey && (await log.change(({ db }) => taskRowByKey(db, idempotencyKey)))) return null
  const { kind } = workspace
  if (!isHere)
    throw new TaskError(
      'not-supported',
      `a ${kind} is made on the worker that is asked: ask the one with the folder`,
    )
  if (!workspaces) throw new TaskError('not-supported', 'this service makes no workspaces')
  return workspaces.plan(workspace, { cwd, host: host ?? null })
}

/** A fork of a task with a workspace has one of its own. */
export async function placeOfFork(
  from: StoredTask,
  { workspaces }: PlaceParts,
): Promise<PlannedWorkspace | null> {
  return from.workspace === null || !workspaces ? null : workspaces.planFork(from)
}
