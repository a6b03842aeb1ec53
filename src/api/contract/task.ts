import { z } from 'zod'
import { TaskProgress } from './handover.ts'
import { AbsolutePath, OutputSchema, PathText, PresetName, ThreadPolicy, TurnInput } from './input.ts'
import { commaList, PageQuery } from './paging.ts'
import { TaskWorkspace, WorkspaceRequest } from './workspace.ts'

export const TaskStatus = z
  .enum([
    'queued',
    'starting',
    'working',
    'waiting',
    'idle',
    'completed',
    'failed',
    'interrupted',
    'timed-out',
    'lost',
    'limited',
  ])
  .meta({ id: 'TaskStatus' })
export type TaskStatus = z.infer<typeof TaskStatus>

const time = z.number().meta({ description: 'Milliseconds since 1970.' })

const Failure = z
  .object({
    code: z.string(),
    message: z.string(),
    hint: z.string().meta({ description: 'What a person can do about it.' }),
    retryable: z.boolean(),
    resumable: z.boolean(),
    resetAt: z.string().nullable().meta({ description: 'When a limit ends, ISO 8601.' }),
    stderrTail: z.array(z.string()),
    info: z.unknown(),
  })
  .meta({ id: 'Failure' })

const TokenUsage = z
  .object({
    totalTokens: z.number(),
    inputTokens: z.number(),
    cachedInputTokens: z.number(),
    cacheWriteInputTokens: z.number(),
    outputTokens: z.number(),
    reasoningOutputTokens: z.number(),
  })
  .meta({ id: 'TokenUsage' })

const TaskResult = z
  .object({
    turnId: z.string(),
    text: z.string(),
    output: z.unknown(),
    isCut: z.boolean().meta({
      description:
        'In lists: only the first 2,000 characters, without `output`. The task itself has it whole.',
    }),
  })
  .meta({ id: 'TaskResult', description: 'The final answer of the last turn that gave one.' })

const OnLost = z
  .enum(['wait', 'fail'])
  .meta({ description: 'When its worker is lost: `wait` for its return, or `fail`: end as `lost`.' })

export const OnLimit = z.enum(['park', 'switch']).meta({
  description: 'At a usage limit: `park` until it ends, or `switch` to another account of the pool.',
})

export const Task = z
  .object({
    id: z.string(),
    title: z.string(),
    status: TaskStatus,
    waitingFor: z.enum(['approval', 'input', 'worker']).nullable().meta({
      description:
        'What a waiting task needs: a permission, an answer, or the return of the worker that has its thread.',
    }),
    reason: z.string().meta({ description: 'One sentence: why it has this status.' }),
    evidence: z.record(z.string(), z.unknown()).meta({ description: 'What the status rests on.' }),
    prompt: z.string(),
    cwd: z.string(),
    codexPath: z.string().nullable(),
    codexHome: z.string().nullable(),
    account: z
      .string()
      .nullable()
      .meta({ description: 'The account, or `pool:…`, that it was asked to run on.' }),
    accountId: z.string().nullable().meta({ description: 'The account it runs on, once one is chosen.' }),
    onLimit: OnLimit.nullable(),
    policy: ThreadPolicy.meta({ description: 'What was asked for.' }),
    effectivePolicy: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: 'What codex said is in force.' }),
    preset: PresetName,
    rules: z.array(z.string()),
    labels: z.array(z.string()),
    tools: z.array(z.string()).meta({ description: 'The tools it was given, by name.' }),
    host: z
      .string()
      .nullable()
      .meta({ description: 'The host that its commands run on; null: where codex runs.' }),
    workspace: TaskWorkspace.nullable().meta({
      description: '`cwd`, where Drawbridge made it; null: a folder of yours.',
    }),
    snapshots: z.string().nullable().meta({
      description: 'When snapshots are taken of it by themselves, as `StartTask.snapshots`; null: never.',
    }),
    restoredFrom: z.string().nullable().meta({ description: 'The snapshot that it was restored from.' }),
    notify: z.array(z.string()),
    keepOpen: z.boolean(),
    timeoutMs: z.number().nullable(),
    approvalTimeoutMs: z
      .number()
      .nullable()
      .meta({ description: 'After this long a question is answered with no.' }),
    outputSchema: z.unknown(),
    worker: z.object({ id: z.string(), name: z.string() }).nullable().meta({
      description: 'The worker that has its thread. null until one has taken it, and always on SQLite.',
    }),
    on: z.string().nullable().meta({ description: 'The worker or label it was asked to run on; null: any.' }),
    onLost: OnLost,
    threadId: z.string().nullable(),
    turnId: z.string().nullable().meta({ description: 'The turn that runs.' }),
    turnCount: z.number(),
    forkedFrom: z.string().nullable(),
    createdBy: z
      .object({ tokenId: z.string(), name: z.string() })
      .nullable()
      .meta({ description: 'The named token it was started with; null: without one, by the owner.' }),
    parent: z.string().nullable().meta({ description: 'The task that started it.' }),
    depth: z.number().meta({ description: 'How many tasks are above it.' }),
    limitedUntil: time.nullable(),
    result: TaskResult.nullable(),
    failure: Failure.nullable(),
    usage: TokenUsage.nullable(),
    openApprovals: z.number(),
    queuedMessages: z.number(),
    openDeliverables: z.number().meta({ description: 'Deliverables that wait for an answer.' }),
    progress: TaskProgress.nullable().meta({ description: 'What the model last said of how far it is.' }),
    attention: z.object({ reason: z.string(), at: time }).nullable().meta({
      description: 'What the model wants a person to see, until somebody has.',
    }),
    links: z.array(z.object({ url: z.string(), at: time })).meta({
      description: 'Links that the model showed, http or https. Nothing opens them by itself.',
    }),
    queuePosition: z.number().nullable(),
    lastSeq: z.number().meta({ description: 'The sequence of its newest event.' }),
    createdAt: time,
    updatedAt: time,
    startedAt: time.nullable(),
    endedAt: time.nullable(),
    archivedAt: time.nullable(),
  })
  .meta({ id: 'Task', description: 'One thread of codex and its turns.' })
export type Task = z.infer<typeof Task>

const SnapshotTimes = z
  .string()
  .regex(/^(?:off|(?:end|limited|turns:[1-9]\d{0,3})(?:,(?:end|limited|turns:[1-9]\d{0,3})){0,2})$/)
  .meta({
    description:
      'When snapshots are taken of it by themselves: `off` (the default), or `end`, `limited` and `turns:<number>` with ' +
      'commas between them.',
  })
const Title = z.string().trim().min(1).max(500)
const Words = z.array(z.string().trim().min(1).max(200)).max(50)
const RuleTexts = z.array(z.string().min(1).max(2000)).max(200)

export const StartTask = z
  .strictObject({
    prompt: TurnInput,
    cwd: AbsolutePath.meta({ description: 'Absolute, on the machine that runs the task.' }),
    title: Title.optional(),
    codexPath: PathText.optional(),
    codexHome: AbsolutePath.optional(),
    account: z.string().trim().min(1).max(80).optional().meta({
      description: 'The name of an account, or `pool:` and the name of a pool. Not with `codexHome`.',
    }),
    onLimit: OnLimit.optional(),
    policy: ThreadPolicy.optional(),
    preset: PresetName.optional(),
    rules: RuleTexts.optional(),
    labels: Words.optional(),
    notify: z.array(z.string().min(1).max(2000)).max(20).optional(),
    keepOpen: z.boolean().optional(),
    timeoutMs: z
      .number()
      .int()
      .min(1000)
      .max(2_147_483_647)
      .optional()
      .meta({ description: 'For each turn.' }),
    approvalTimeoutMs: z
      .number()
      .int()
      .min(1000)
      .max(2_147_483_647)
      .optional()
      .meta({ description: 'After this long without an answer a question is answered with no.' }),
    outputSchema: OutputSchema.optional(),
    on: z.string().trim().min(1).max(200).optional().meta({
      description:
        'The name, the id or a label of the workers it may run on. Default: any that has its folder.',
    }),
    onLost: OnLost.optional(),
    host: z.string().optional().meta({
      description: 'The name of a host to run on; `cwd` is a folder there. Default: where codex runs.',
    }),
    workspace: WorkspaceRequest.optional().meta({ description: 'Where it works. Default: in `cwd` itself.' }),
    shareFolder: z.boolean().optional().meta({
      description:
        'Also where another task works that may write: without it that is refused, with `folder-in-use`.',
    }),
    snapshots: SnapshotTimes.optional(),
    tools: Words.optional().meta({
      description: 'Tools of the settings, or built in, by name. Its labels can bring others.',
    }),
    parent: z
      .union([
        z.strictObject({ taskId: z.string().min(1).max(200) }),
        z.strictObject({ threadId: z.string().min(1).max(200) }),
      ])
      .optional()
      .meta({
        description:
          'The task that starts this one: by its id, or by a codex thread of its own or of a sub-agent. A thread that ' +
          'is not of a task here is no parent.',
      }),
  })
  .meta({ id: 'StartTask' })
export type StartTask = z.input<typeof StartTask>

export const ChangeTask = z
  .strictObject({
    title: Title.optional(),
    archived: z.boolean().optional(),
    labels: Words.optional(),
    notify: z.array(z.string().min(1).max(2000)).max(20).optional(),
    preset: PresetName.optional(),
    rules: RuleTexts.optional(),
    network: z
      .boolean()
      .optional()
      .meta({ description: 'Whether commands reach the network, from the next turn on.' }),
  })
  .refine((fields) => Object.keys(fields).length > 0, 'nothing to change')
  .meta({ id: 'ChangeTask' })
export type ChangeTask = z.input<typeof ChangeTask>

export const TaskFilterQuery = z.object({
  status: commaList(TaskStatus).optional().meta({ description: 'One or more, with commas.' }),
  waitingFor: z.enum(['worker', 'person']).optional().meta({
    description: 'Of those with the status waiting, only those that wait for their worker, or for a person.',
  }),
  labels: commaList(z.string()).optional().meta({ description: 'All of these, with commas.' }),
  search: z.string().max(500).optional().meta({ description: 'In title, prompt or answer.' }),
  cwd: z.string().max(4096).optional(),
  parent: z.string().max(200).optional().meta({ description: 'Started by this task.' }),
  below: z.string().max(200).optional().meta({ description: 'Started by this task, or below one that was.' }),
  archived: z.enum(['true', 'false', 'only']).optional(),
})

export const TaskListQuery = PageQuery.extend(TaskFilterQuery.shape)

export const CountedTasks = z
  .object({
    total: z.number(),
    byStatus: z.record(z.string(), z.number()).meta({ description: 'Only statuses that some task has.' }),
  })
  .meta({ id: 'CountedTasks' })
export type CountedTasks = z.infer<typeof CountedTasks>

export const ForkTask = z
  .strictObject({
    prompt: TurnInput.optional(),
    lastTurnId: z.string().optional(),
    title: Title.optional(),
    shareFolder: z.boolean().optional(),
  })
  .meta({ id: 'ForkTask' })
export type ForkTask = z.input<typeof ForkTask>

export const ResumeTask = z.strictObject({ prompt: TurnInput.optional() }).meta({ id: 'ResumeTask' })
export type ResumeTask = z.input<typeof ResumeTask>

export const InterruptTask = z
  .strictObject({
    children: z.boolean().optional().meta({ description: 'Also all tasks below it. Default false.' }),
  })
  .meta({ id: 'InterruptTask' })
export type InterruptTask = z.input<typeof InterruptTask>

export const WaitForTask = z
  .strictObject({
    timeoutMs: z.number().int().min(0).max(240_000).optional().meta({ description: 'Default 30,000.' }),
    through: z.boolean().optional().meta({ description: 'Also while it waits for somebody.' }),
  })
  .meta({ id: 'WaitForTask' })
export type WaitForTask = z.input<typeof WaitForTask>
