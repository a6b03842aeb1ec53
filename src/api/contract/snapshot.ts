// A workspace and a thread as they were, to be taken up again.
import { z } from 'zod'
import { AbsolutePath, PathText } from './input.ts'

const time = z.number().meta({ description: 'Milliseconds since 1970.' })
const Pattern = z.string().min(1).max(1000)

export const Snapshot = z
  .object({
    id: z.string(),
    taskId: z.string().meta({ description: 'The task it was taken of; it may be of another service.' }),
    state: z.enum(['taking', 'ready', 'failed', 'removing']),
    cause: z
      .enum(['hand', 'end', 'limited', 'turns'])
      .meta({ description: 'Asked for by a person, or by `StartTask.snapshots`.' }),
    createdAt: time,
    turnCount: z.number().meta({ description: 'The turns of the task that are in it.' }),
    title: z
      .string()
      .nullable()
      .meta({ description: 'Of the task. This and what follows: null until it is ready.' }),
    machine: z.string().nullable(),
    codexVersion: z.string().nullable(),
    folder: z.string().nullable().meta({ description: 'Where the task worked.' }),
    hasThread: z.boolean().nullable(),
    sandbox: z.string().nullable().meta({ description: 'What the commands of the task may touch.' }),
    preset: z.string().nullable(),
    rules: z.number().nullable().meta({ description: 'How many rules of its own the task has.' }),
    files: z.number().nullable(),
    bytes: z.number().nullable().meta({ description: 'Of all its files.' }),
    storedBytes: z.number().nullable().meta({ description: 'What it added to the disk.' }),
    leftOut: z
      .array(z.object({ path: z.string(), why: z.string() }))
      .meta({ description: 'Files and folders that are not in it; at most 200.' }),
    leftOutCount: z.number(),
    changed: z.number().nullable().meta({ description: 'Files that were written to while they were read.' }),
    isImported: z.boolean().meta({ description: 'It came as a file.' }),
    isEncrypted: z.boolean(),
    workerId: z.string().nullable().meta({ description: 'The worker whose disk it is on; null on SQLite.' }),
    problem: z.string().nullable().meta({ description: 'Why it could not be taken.' }),
  })
  .meta({ id: 'Snapshot' })
export type Snapshot = z.infer<typeof Snapshot>

export const SnapshotList = z.object({ items: z.array(Snapshot) }).meta({ id: 'SnapshotList' })

export const TakeSnapshot = z
  .strictObject({
    exclude: z.array(Pattern).max(500).optional().meta({
      description: 'What is left out besides what the settings leave out: patterns as in a .gitignore.',
    }),
    gitignore: z.boolean().optional().meta({
      description: 'Also what the .gitignore files of the workspace leave out. Default: as in the settings.',
    }),
  })
  .meta({ id: 'TakeSnapshot' })
export type TakeSnapshot = z.input<typeof TakeSnapshot>

export const RestoreSnapshot = z
  .strictObject({
    into: AbsolutePath.optional().meta({
      description: 'An empty folder, or one that is not there yet. Default: a new one among the workspaces.',
    }),
    prompt: z.string().min(1).max(1_000_000).optional().meta({
      description: 'What it goes on with. Without one the task waits for a message.',
    }),
    title: z.string().trim().min(1).max(500).optional(),
    account: z.string().trim().min(1).max(80).optional(),
    codexHome: AbsolutePath.optional(),
    codexPath: PathText.optional(),
    host: z.string().optional().meta({ description: 'Not supported yet: refused.' }),
    sandbox: z.enum(['read-only', 'workspace-write']).optional().meta({
      description:
        'Default: as the task had it, where the snapshot was taken here. Of one that came as a file: read-only.',
    }),
    keepRights: z.boolean().optional().meta({
      description:
        'Of a snapshot that came as a file: with the sandbox, the preset and the rules that the task had.',
    }),
  })
  .meta({ id: 'RestoreSnapshot' })
export type RestoreSnapshot = z.input<typeof RestoreSnapshot>

export const RemovedSnapshot = z.object({ id: z.string() }).meta({ id: 'RemovedSnapshot' })
export type RemovedSnapshot = z.infer<typeof RemovedSnapshot>

/** The type of a snapshot as one file. */
export const SNAPSHOT_TYPE = 'application/vnd.drawbridge.snapshot'
