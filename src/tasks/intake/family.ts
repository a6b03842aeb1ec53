// Which task a new one stands below, and who started it.
import { type Db, type TaskInsert, taskRow, taskRowByThread } from '../../store/index.ts'
import { type Caller, foldersOn, type Grant, type StartTask, TaskError } from '../model/index.ts'

export interface FamilyParts {
  readonly maxDepth: number
  /** The thread on whose behalf a sub-agent with this thread works, as far as it is known here. */
  readonly threadAbove: (threadId: string) => string | null
}

/** Who started a task, and below which other. Throws when the parent does not exist, or has too many tasks above it already. */
export async function familyColumns(
  db: Db,
  {
    request,
    caller,
  }: { request: Pick<StartTask, 'parent' | 'host'>; caller: Pick<Caller, 'actor' | 'grant'> },
  { maxDepth, threadAbove }: FamilyParts,
): Promise<Pick<TaskInsert, 'parent' | 'depth' | keyof ReturnType<typeof creatorColumns>>> {
  const { parent: given, host = null } = request
  const parent = given === undefined ? null : await parentRow(db, given, threadAbove)
  const own = creatorColumns(creatorOf(caller.grant, host))
  if (parent === null) return { parent: null, depth: 0, ...own }
  const depth = parent.depth + 1
  if (depth > maxDepth)
    throw new TaskError(
      'too-deep',
      `a task may stand at most ${maxDepth} below the one that a person started, and this one would be number ${depth}: ` +
        'do the work in the task itself, or raise maxDepth in the settings',
      { details: { maxDepth, parent: parent.id } },
    )
  // What a task starts by itself, with a tool of ours, is held to what it is held to.
  const isByItself = !caller.grant && caller.actor === `task:${parent.id}`
  const { created_by, created_by_name, within } = isByItself ? parent : own
  return { parent: parent.id, depth, created_by, created_by_name, within }
}

async function parentRow(
  db: Db,
  given: NonNullable<StartTask['parent']>,
  threadAbove: FamilyParts['threadAbove'],
) {
  if ('taskId' in given) {
    const row = await taskRow(db, given.taskId)
    if (!row) throw new TaskError('task-not-found', `there is no task ${given.taskId}`)
    return row
  }
  const own = await taskRowByThread(db, given.threadId)
  if (own) return own
  const above = threadAbove(given.threadId)
  return above === null ? null : ((await taskRowByThread(db, above)) ?? null)
}

/** A token that started a task, and the folders it is held to, on the machine where the task works. */
type Creator = Pick<Grant, 'tokenId' | 'name'> & { readonly within: readonly string[] | null }

export function creatorOf(grant: Grant | null | undefined, host: string | null): Creator | null {
  if (!grant) return null
  const { tokenId, name, ceiling } = grant
  const within = host === null ? ceiling.folders : (foldersOn(host, ceiling) ?? null)
  return { tokenId, name, within }
}

export function creatorColumns(
  creator: Creator | null,
): Pick<TaskInsert, 'created_by' | 'created_by_name' | 'within'> {
  return {
    created_by: creator?.tokenId ?? null,
    created_by_name: creator?.name ?? null,
    within: creator?.within ? JSON.stringify(creator.within) : null,
  }
}
