// Where a task works, and what tasks need of that. `workspaces` has it; the composition root introduces them.
import path from 'node:path'
import type { GitFolders } from '../../codex/index.ts'
import type { Db, StoredTask, TaskInsert } from '../../store/index.ts'
import { TaskError } from './task-errors.ts'

export const WORKSPACE_KINDS = ['folder', 'worktree', 'clone', 'scratch', 'snapshot'] as const
export type WorkspaceKind = (typeof WORKSPACE_KINDS)[number]

/** What a new task asks for. */
export interface WorkspaceRequest {
  /** One of a snapshot is made by restoring that. */
  readonly kind: Exclude<WorkspaceKind, 'snapshot'>
  /** Of a worktree: its branch. Default: a new one, `drawbridge/<name>`. */
  readonly branch?: string | undefined
  /** Of a worktree or a clone: the commit it begins with. Default: what is checked out, or the default branch. */
  readonly from?: string | undefined
  /** Of a clone: an absolute path, or an address. */
  readonly source?: string | undefined
  /** Of a worktree: codex may commit from inside its sandbox. Default: only people commit. */
  readonly commits?: boolean | undefined
  /** Of scratch: it stays when the task is completed. */
  readonly keep?: boolean | undefined
  /** Of a worktree: more repositories, each with a worktree of its own beside the first. */
  readonly also?: readonly AlsoRequest[] | undefined
}

/** One more repository of a task. */
interface AlsoRequest {
  /** A folder in it, absolute. */
  readonly source: string
  /** Default: a new one, `drawbridge/<name>`. */
  readonly branch?: string | undefined
  /** Default: what is checked out there. */
  readonly from?: string | undefined
}

/** Of a task, as it was made; it never changes. */
export interface TaskWorkspace {
  readonly kind: WorkspaceKind
  /** null: the folder is the user's own. */
  readonly id: string | null
  /** The folder, or the address, that it came from. */
  readonly source: string | null
  readonly branch: string | null
  readonly from: string | null
  /** The commit that its work is compared with. */
  readonly base: string | null
  readonly keep: boolean
  /** The repository that codex itself may commit to; null: it may not. */
  readonly commitsTo: string | null
  /** Of a task with several repositories: the others. */
  readonly parts: readonly WorkspacePart[]
}

/** One more repository that the task works in: a worktree of its own, writable as the task's folder is. */
export interface WorkspacePart {
  readonly id: string
  readonly folder: string
  readonly source: string
  readonly branch: string
  readonly from: string | null
  readonly base: string
}

/** A workspace that is about to be on record. */
export interface PlannedWorkspace {
  readonly workspace: TaskWorkspace
  /** Where the task works in it. */
  readonly cwd: string
  /** In the change that stores the task. */
  record(db: Db, task: Pick<TaskInsert, 'id'>): Promise<void>
}

export interface TaskWorkspaces {
  /** What is asked for, checked; nothing is made. */
  plan(
    request: WorkspaceRequest,
    task: { readonly cwd: string; readonly host?: string | null },
  ): Promise<PlannedWorkspace>
  /** The same for a fork, from what its parent's workspace is now. */
  planFork(from: StoredTask): Promise<PlannedWorkspace>
  /**
   * Before each turn, of every task: its workspace is there when this resolves, how it was is kept, and no snapshot is being
   * taken of it. Rejects when it was removed.
   */
  prepare(row: StoredTask): Promise<void>
  /** A turn ended, of any task. Never rejects, never waits. */
  ended(row: StoredTask): void
}

/** The further worktrees of a task with several repositories. */
function partsOf({ workspace }: Pick<StoredTask, 'workspace'>): readonly WorkspacePart[] {
  return (workspace === null ? null : (JSON.parse(workspace) as Partial<TaskWorkspace>))?.parts ?? []
}

/** The folders that a task with several repositories works in, its own first; null: there is only that. */
export function rootsOf(row: Pick<StoredTask, 'workspace' | 'cwd'>): string[] | null {
  const parts = partsOf(row)
  return parts.length === 0 ? null : [row.cwd, ...parts.map(({ folder }) => folder)]
}

/** What commits from inside the sandbox write to; null: there are none. Other branches, hooks and configuration are no part of it. */
export function gitFoldersOf({ workspace }: Pick<StoredTask, 'workspace'>): GitFolders | null {
  const { commitsTo, id, branch } = (
    workspace === null ? {} : JSON.parse(workspace)
  ) as Partial<TaskWorkspace>
  if (!commitsTo) return null
  const own = path.join(commitsTo, 'worktrees', id!)
  const objects = path.join(commitsTo, 'objects')
  const heads = path.dirname(path.join('refs', 'heads', branch!))
  return {
    write: [objects, path.join(commitsTo, heads), path.join(commitsTo, 'logs', heads), own],
    // By these git finds its configuration, and objects that were there before.
    keep: [
      ...['commondir', 'gitdir', 'config.worktree'].map((name) => path.join(own, name)),
      ...['pack', 'info'].map((name) => path.join(objects, name)),
    ],
  }
}

/** `worktree`, `worktree:<branch>`, `clone:<path or address>`, `scratch`, `folder`, as people type it. */
export function parseWorkspace(text: string): WorkspaceRequest {
  const [, kind, rest] = /^([a-z]+)(?::([\s\S]+))?$/.exec(text.trim()) ?? []
  if (kind === 'worktree') return { kind, ...(rest !== undefined && { branch: rest }) }
  if (kind === 'clone' && rest !== undefined) return { kind, source: rest }
  if ((kind === 'scratch' || kind === 'folder') && rest === undefined) return { kind }
  throw new TaskError(
    'bad-request',
    `there is no workspace ${JSON.stringify(text)}: use folder, worktree, worktree:<branch>, clone:<path or address> or scratch`,
  )
}
