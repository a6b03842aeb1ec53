// Where tasks work when Drawbridge made the place, and what becomes of the work.
import { z } from 'zod'

const time = z.number().meta({ description: 'Milliseconds since 1970.' })
const Word = z.string().trim().min(1).max(300)
const FilePath = z.string().min(1).max(4096)
const Seen = z.string().min(1).max(100).optional().meta({
  description: '`seen` of what the person was shown: refused when the work is not like that any more.',
})

const Repository = z
  .string()
  .min(1)
  .max(4096)
  .optional()
  .meta({
    description:
      'Of a task with several repositories: the id of one, or the name of its folder. Can be left out where only one has ' +
      'such work.',
  })

const NewKind = z.enum(['folder', 'worktree', 'clone', 'scratch']).meta({
  id: 'NewWorkspaceKind',
  description:
    '`folder`: in `cwd` itself. `worktree`: a git worktree of its repository, on a branch. `clone`: a clone of a ' +
    'repository. `scratch`: an empty folder, removed when the task is completed.',
})

export const WorkspaceKind = z.enum(['folder', 'worktree', 'clone', 'scratch', 'snapshot']).meta({
  id: 'WorkspaceKind',
  description: 'What it was made as. `snapshot`: it was restored from one.',
})

const AlsoRequest = z
  .strictObject({
    source: FilePath.meta({ description: 'A folder in that repository: an absolute path.' }),
    branch: Word.optional().meta({ description: 'Its branch. Default: a new one, `drawbridge/…`.' }),
    from: Word.optional().meta({
      description: 'The branch, tag or commit to begin with. Default: what is checked out there.',
    }),
  })
  .meta({ id: 'AlsoRequest' })

export const WorkspaceRequest = z
  .strictObject({
    kind: NewKind,
    branch: Word.optional().meta({
      description: 'Of a worktree: its branch. Default: a new one, `drawbridge/…`.',
    }),
    from: Word.optional().meta({ description: 'The branch, tag or commit to begin with.' }),
    source: FilePath.optional().meta({ description: 'Of a clone: an absolute path, or an address.' }),
    keep: z.boolean().optional().meta({ description: 'Of scratch: it stays.' }),
    commits: z.boolean().optional().meta({
      description: 'Of a worktree: codex may commit from inside its sandbox. Default: only people commit.',
    }),
    also: z.array(AlsoRequest).max(10).optional().meta({
      description: 'Of a worktree: more repositories, each with a worktree of its own beside the first.',
    }),
  })
  .meta({ id: 'WorkspaceRequest' })

const WorkspacePart = z
  .object({
    id: z.string(),
    folder: z.string(),
    source: z.string(),
    branch: z.string(),
    from: z.string().nullable(),
    base: z.string(),
  })
  .meta({ id: 'WorkspacePart' })

export const TaskWorkspace = z
  .object({
    kind: WorkspaceKind,
    id: z.string().nullable(),
    source: z.string().nullable(),
    branch: z.string().nullable(),
    from: z.string().nullable(),
    base: z.string().nullable().meta({ description: 'The commit that the work is compared with.' }),
    keep: z.boolean(),
    commitsTo: z.string().nullable().meta({ description: 'The repository that codex itself may commit to.' }),
    parts: z.array(WorkspacePart).meta({
      description:
        'The further repositories of the task. Commands may write there as they may in its own folder.',
    }),
  })
  .meta({ id: 'TaskWorkspace' })

export const ChangedFile = z
  .object({
    path: z.string(),
    from: z.string().nullable().meta({ description: 'Its path before, when it was renamed.' }),
    change: z.enum(['added', 'modified', 'deleted', 'renamed', 'repository', 'ignored']),
    added: z.number().nullable().meta({ description: 'Lines; null of a binary file.' }),
    removed: z.number().nullable(),
  })
  .meta({ id: 'ChangedFile' })
export type ChangedFile = z.infer<typeof ChangedFile>

const Commit = z
  .object({ id: z.string(), subject: z.string(), author: z.string(), at: time })
  .meta({ id: 'WorkspaceCommit' })

const OnHost = z
  .string()
  .nullable()
  .meta({ description: 'The host it is on. null: the machine of the service.' })

const WorkRepository = z
  .object({
    id: z.string(),
    source: z.string().nullable(),
    folder: z.string(),
    branch: z.string().nullable(),
  })
  .meta({ id: 'WorkRepository' })

export const Work = z
  .object({
    workspace: z.string(),
    host: OnHost,
    folder: z.string(),
    branch: z.string().nullable(),
    base: z.string(),
    head: z.string(),
    files: z
      .array(ChangedFile)
      .meta({ description: 'All of the work: from the base to the files as they are.' }),
    uncommitted: z.array(ChangedFile),
    commits: z.array(Commit).meta({ description: 'Since the base, newest first; at most 200.' }),
    isMerged: z.boolean().meta({ description: 'All of its commits are on another branch too.' }),
    otherBranch: z
      .string()
      .nullable()
      .meta({ description: 'What is checked out there instead of its branch.' }),
    appliesTo: z
      .object({ branch: z.string().nullable(), checkout: z.string() })
      .nullable()
      .meta({
        description:
          'Where `apply` brings the work: commits to the branch (null: name one with `to`), a patch to the checkout. ' +
          'null: the repository is not on this machine.',
      }),
    seen: z.string().meta({ description: 'Stands for all of this.' }),
    repositories: z.array(WorkRepository).meta({
      description:
        'All repositories of the task that are there, the one it works in first. This is the work in `workspace`.',
    }),
  })
  .meta({ id: 'Work' })
export type Work = z.infer<typeof Work>

export const WorkDiff = z
  .object({
    patch: z.string().meta({ description: 'As `git diff` writes it.' }),
    isCut: z.boolean().meta({ description: 'It was longer than 2 MB: only its beginning.' }),
    repositories: z
      .array(z.object({ id: z.string(), source: z.string(), patch: z.string(), isCut: z.boolean() }))
      .meta({
        description:
          'Of a task with several repositories when none was named: each by itself. `patch` then has all, each below a ' +
          'line that begins with `#`.',
      }),
  })
  .meta({ id: 'WorkDiff' })
export type WorkDiff = z.infer<typeof WorkDiff>

export const CommitWork = z
  .strictObject({
    message: z.string().trim().min(1).max(100_000),
    files: z.array(FilePath).min(1).max(10_000).optional().meta({
      description: 'Only these. Default: everything that is uncommitted.',
    }),
    seen: Seen,
    repository: Repository,
  })
  .meta({ id: 'CommitWork' })
export type CommitWork = z.input<typeof CommitWork>

const In = z.string().meta({ description: 'The workspace, of those of the task, that this was done in.' })

export const Committed = z.object({ workspace: In, commit: z.string() }).meta({ id: 'Committed' })
export type Committed = z.infer<typeof Committed>

const ApplyMethod = z.enum(['merge', 'rebase', 'patch'])

export const ApplyWork = z
  .strictObject({
    method: ApplyMethod.meta({
      description:
        '`merge` and `rebase`: its commits go to the branch it was begun from. `patch`: its files go to the checkout it ' +
        'came from, uncommitted. Either all of it is applied or nothing.',
    }),
    to: Word.optional().meta({
      description: 'The branch that gets the commits. Default: `appliesTo.branch` of the work.',
    }),
    seen: Seen,
    repository: Repository,
  })
  .meta({ id: 'ApplyWork' })
export type ApplyWork = z.input<typeof ApplyWork>

export const AppliedWork = z
  .object({
    workspace: In,
    method: ApplyMethod,
    branch: z.string().nullable(),
    commit: z.string().nullable(),
    checkout: z.string().nullable().meta({ description: 'The checkout whose files changed.' }),
    files: z.array(z.string()),
  })
  .meta({ id: 'AppliedWork' })
export type AppliedWork = z.infer<typeof AppliedWork>

export const RemoveWorkspace = z
  .strictObject({
    confirm: z.string().max(300).optional().meta({
      description: 'The name of the workspace, as a person typed it: also with work that is nowhere else.',
    }),
    seen: Seen,
    branch: z.boolean().optional().meta({
      description:
        'Also its branch, when that has commits that are on no other. Default: such a branch stays.',
    }),
  })
  .meta({ id: 'RemoveWorkspace' })
export type RemoveWorkspace = z.input<typeof RemoveWorkspace>

export const DiscardWork = RemoveWorkspace.extend({
  repository: Repository.meta({
    description: 'Of a task with several repositories: the id of one, or the name of its folder.',
  }),
}).meta({ id: 'DiscardWork' })
export type DiscardWork = z.input<typeof DiscardWork>

export const RemovedWorkspace = z
  .object({
    keptBranch: z
      .string()
      .nullable()
      .meta({ description: 'A branch that stays: it has commits of its own.' }),
  })
  .meta({ id: 'RemovedWorkspace' })
export type RemovedWorkspace = z.infer<typeof RemovedWorkspace>

export const DiscardedWork = RemovedWorkspace.extend({ workspace: In }).meta({ id: 'DiscardedWork' })
export type DiscardedWork = z.infer<typeof DiscardedWork>

export const Workspace = z
  .object({
    id: z.string(),
    kind: WorkspaceKind,
    state: z.enum(['planned', 'making', 'ready', 'removing']),
    host: OnHost,
    folder: z.string(),
    source: z.string().nullable(),
    branch: z.string().nullable(),
    partOf: z.string().nullable().meta({
      description: 'The workspace that its task works in, when this is of a further repository.',
    }),
    task: z.object({ id: z.string(), title: z.string(), status: z.string() }).nullable(),
    workerId: z.string().nullable(),
    bytes: z.number().nullable(),
    uncommitted: z.number().meta({ description: 'Files that are in no commit.' }),
    unmerged: z.number().meta({ description: 'Commits that are on no other branch.' }),
    problem: z.string().nullable(),
    createdAt: time,
  })
  .meta({ id: 'Workspace' })
export type Workspace = z.infer<typeof Workspace>

export const WorkspaceList = z.object({ items: z.array(Workspace) }).meta({ id: 'WorkspaceList' })

export const CleanWorkspaces = z
  .strictObject({
    olderThanDays: z.number().min(0).max(36_500).optional().meta({ description: 'Default 0.' }),
    dryRun: z.boolean().optional().meta({ description: 'Only say what would be removed.' }),
  })
  .meta({ id: 'CleanWorkspaces' })
export type CleanWorkspaces = z.input<typeof CleanWorkspaces>

export const CleanedWorkspaces = z
  .object({
    removed: z.array(z.string()),
    kept: z.array(z.object({ id: z.string(), why: z.string() })),
  })
  .meta({ id: 'CleanedWorkspaces' })
export type CleanedWorkspaces = z.infer<typeof CleanedWorkspaces>
