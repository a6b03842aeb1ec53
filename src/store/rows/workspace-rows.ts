// Workspaces that Drawbridge made.
import type { Insertable, Selectable, Updateable } from 'kysely'
import { sql } from 'kysely'
import type { Db } from '../db.ts'
import { isPostgres } from '../dialect.ts'
import type { WorkspaceRow } from '../workspace-schema.ts'

export type StoredWorkspace = Selectable<WorkspaceRow>

export async function insertWorkspace(db: Db, row: Insertable<WorkspaceRow>): Promise<void> {
  await db.insertInto('workspaces').values(row).execute()
}

export function workspaceRow(db: Db, id: string): Promise<StoredWorkspace | undefined> {
  return db.selectFrom('workspaces').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The one that the task works in. */
export function workspaceOfTask(db: Db, taskId: string): Promise<StoredWorkspace | undefined> {
  return db
    .selectFrom('workspaces')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('part_of', 'is', null)
    .executeTakeFirst()
}

/** All that the task has, whatever their state: the one it works in first, then the others by their source. */
export async function workspacesOfTask(db: Db, taskId: string): Promise<StoredWorkspace[]> {
  const rows = await db
    .selectFrom('workspaces')
    .selectAll()
    .where('task_id', '=', taskId)
    .orderBy('source')
    .orderBy('id')
    .execute()
  return [...rows.filter((row) => row.part_of === null), ...rows.filter((row) => row.part_of !== null)]
}

/** Those that are there, or about to be; newest first. */
export function workspaceRows(db: Db): Promise<StoredWorkspace[]> {
  return db
    .selectFrom('workspaces')
    .selectAll()
    .where('state', '!=', 'removed')
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
}

/** False: it is in none of these states any more. */
export async function updateWorkspace(
  db: Db,
  id: string,
  { from, ...change }: { readonly from: readonly string[] } & Updateable<WorkspaceRow>,
): Promise<boolean> {
  const changed = await db
    .updateTable('workspaces')
    .set(change)
    .where('id', '=', id)
    .where('state', 'in', from)
    .returning('id')
    .executeTakeFirst()
  return changed !== undefined
}

/** Tasks that have not ended and are on this machine's folders, but for those on other hosts. */
export function tasksAtWork(
  db: Db,
): Promise<
  { id: string; title: string; cwd: string; policy: string; status: string; workspace: string | null }[]
> {
  return db
    .selectFrom('tasks')
    .select(['id', 'title', 'cwd', 'policy', 'status', 'workspace'])
    .where('status', 'in', ['queued', 'starting', 'working', 'waiting'])
    .where('host', 'is', null)
    .execute()
}

/** In a transaction: another that looks for writers of a folder waits for its end. On SQLite there is only one. */
export async function lockFolders(db: Db): Promise<void> {
  if (isPostgres(db)) await sql`select pg_advisory_xact_lock(${FOLDERS_LOCK})`.execute(db)
}

/** An arbitrary number, the same in all workers. */
const FOLDERS_LOCK = 727_403_115
