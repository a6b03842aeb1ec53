// The shape of settings.json. Everything can be left out; every default is here.
import path from 'node:path'
import { z } from 'zod'
import { DEFAULT_PROTECTED_PATHS, problemWithProtectedPath } from './trust/index.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const milliseconds = z.number().int().min(1000).max(2_147_483_647)
const days = z.number().min(0.01).max(36_500)
const bytes = z.number().int().min(1_000_000)
const url = z.url({ protocol: /^https?$/ })

/** Without the value in any message: it has a password in it. */
const databaseUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, 'must be the address of a PostgreSQL database, postgres://user@host/database')

const word = z.string().regex(/^[^\s,]+$/, 'a label is one word, without spaces and commas')
const Worker = z.strictObject({
  name: z
    .string()
    .regex(/^[^\p{C}]{1,64}$/u, 'must be one line of at most 64 characters')
    .optional(),
  labels: z.array(word).max(100).default([]),
  /** Others may declare it lost when it has not been heard of for so long. */
  leaseMs: milliseconds.min(3_000).default(30_000),
})

const Smtp = z.strictObject({
  url: z.string().regex(/^smtps?:\/\//, 'must begin with smtps:// or smtp://'),
  from: z.string().min(3),
})

const Retention = z.strictObject({
  taskMaxAgeDays: days.nullable().default(null),
  eventMaxAgeDays: days.nullable().default(90),
  maxBytes: bytes.nullable().default(10 * 1024 ** 3),
})

const Backup = z.strictObject({ daily: z.boolean().default(true) })

const AppServers = z.strictObject({
  max: z.number().int().min(1).max(1000).optional(),
  idleMs: milliseconds.optional(),
  maxMemoryBytes: bytes.optional(),
  crashLoop: z
    .strictObject({ count: z.number().int().min(1).max(100_000), withinMs: milliseconds })
    .optional(),
})

const variable = z.string().regex(/^[A-Za-z_]\w*$/, 'must be the name of a variable')
const texts = z.record(z.string(), z.string())
const seconds = z.number().positive().max(86_400)

/** Codex's own words. Strict: codex takes a misspelt key without a word. */
const McpServer = z
  .strictObject({
    command: z
      .string()
      .refine(
        (text) => path.isAbsolute(text) || !/[\\/]/.test(text),
        'must be absolute, or the name of a program',
      )
      .optional(),
    args: z.array(z.string()).optional(),
    cwd: z
      .string()
      .refine((text) => path.isAbsolute(text), 'must be absolute')
      .optional(),
    env: texts.optional(),
    env_vars: z.array(variable).optional(),
    url: url.optional(),
    http_headers: texts.optional(),
    env_http_headers: z.record(z.string(), variable).optional(),
    bearer_token_env_var: variable.optional(),
    enabled_tools: z.array(z.string()).optional(),
    disabled_tools: z.array(z.string()).optional(),
    default_tools_approval_mode: z.enum(['auto', 'prompt', 'writes', 'approve']).optional(),
    omit_tools_from: z.array(z.enum(['deferred', 'code_mode'])).optional(),
    required: z.boolean().optional(),
    startup_timeout_sec: seconds.optional(),
    tool_timeout_sec: seconds.optional(),
  })
  .refine(({ command, url: address }) => (command === undefined) !== (address === undefined), {
    message: 'must have either command or url',
  })

const toolLabels = z.array(word).max(100).default([])
const ToolEntry = z
  .strictObject({ module: z.string().min(1).optional(), server: McpServer.optional(), labels: toolLabels })
  .refine(({ module, server }) => (module === undefined) !== (server === undefined), {
    message: 'must have either module or server',
  })
const ToolName = z
  .string()
  .regex(/^[a-zA-Z0-9_-]{1,64}$/, 'a name has up to 64 letters, digits, _ and -')
  .refine((name) => !/^(drawbridge|host_tools$)/.test(name), 'this name is taken by Drawbridge itself')

const PassedName = z
  .string()
  .regex(/^[A-Za-z_]\w*$/, 'must be the name of a variable')
  .refine((name) => name !== 'DRAWBRIDGE_DATABASE_URL', "codex must not see Drawbridge's own database")
  .refine((name) => name !== 'DRAWBRIDGE_ACCOUNT_KEY', 'codex must not see the key of the stored logins')
  .refine((name) => name !== 'DRAWBRIDGE_SNAPSHOT_KEY', 'codex must not see the key of the snapshots')

const absolute = z.string().refine((text) => path.isAbsolute(text), 'must be absolute')
/** The defaults of what is left out depend on the event: `tasks/hooks` has them. */
const Hook = z
  .strictObject({
    on: z.enum(['before', 'after', 'onDeliverable', 'onUpload', 'onQuestion']),
    /** For the shell. */
    command: z.string().min(1).max(10_000).optional(),
    /** A file whose default export is a function; relative to the folder of the settings. */
    module: z.string().min(1).optional(),
    labels: z.array(word).max(100).default([]),
    folders: z.array(absolute).max(100).default([]),
    onlyTrusted: z.boolean().default(false),
    timeoutMs: milliseconds.max(DAY_MS).optional(),
    onFailure: z.enum(['stop', 'go on']).optional(),
    repeatable: z.boolean().default(false),
    passEnv: z.array(PassedName).max(100).default([]),
  })
  .refine(({ command, module }) => (command === undefined) !== (module === undefined), {
    message: 'must have either command or module',
  })
const HookName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'a name has up to 64 letters, digits, _ and -')

const ProtectedPath = z.string().superRefine((entry, context) => {
  const message = problemWithProtectedPath(entry)
  if (message !== null) context.addIssue({ code: 'custom', message })
})

const Accounts = z.strictObject({
  /** A program and its arguments; what it prints is the key that stored logins are sealed with. */
  keyCommand: z.array(z.string().min(1)).min(1).max(50).nullable().default(null),
})

const Snapshots = z.strictObject({
  /** Where snapshots of tasks are kept; null: in the data folder. One that all workers reach lets each of them restore. */
  folder: z
    .string()
    .refine((text) => path.isAbsolute(text), 'must be absolute')
    .nullable()
    .default(null),
  /** Of each task. */
  keep: z.number().int().min(1).max(1000).default(5),
  /** What is left out, as lines of a .gitignore. */
  exclude: z.array(z.string().min(1).max(1000)).max(500).default([]),
  /** Also what the .gitignore files in the workspace leave out. */
  gitignore: z.boolean().default(false),
  encrypt: z.boolean().default(false),
  /** A program and its arguments; what it prints is the key that snapshots are encrypted with. */
  keyCommand: z.array(z.string().min(1)).min(1).max(50).nullable().default(null),
})

const Workspaces = z.strictObject({
  /** Where worktrees, clones and empty folders of tasks are made; null: beside the data folder. */
  folder: z
    .string()
    .refine((text) => path.isAbsolute(text), 'must be absolute')
    .nullable()
    .default(null),
  /** So many days after they were made, those of ended tasks go, unless they have work that is nowhere else. */
  cleanAfterDays: days.nullable().default(null),
  snapshots: Snapshots.prefault({}),
})

const FileType = z
  .string()
  .regex(/^(?:[a-z]+\/(?:\*|[a-z0-9.+-]+)|\.[A-Za-z0-9.]+)$/, 'must be like image/*, text/csv or .parquet')

/** Files that people give to tasks. */
const Uploads = z.strictObject({
  /** Where they are; null: beside the data folder. Commands of tasks must be able to read it. */
  folder: z
    .string()
    .refine((text) => path.isAbsolute(text), 'must be absolute')
    .nullable()
    .default(null),
  maxFileBytes: z
    .number()
    .int()
    .min(1)
    .default(100 * 1024 ** 2),
  /** At once. */
  maxFiles: z.number().int().min(1).max(1000).default(20),
  /** Of one task. */
  maxTaskBytes: z
    .number()
    .int()
    .min(1)
    .default(1024 ** 3),
  /** null: every type. */
  types: z.array(FileType).min(1).max(200).nullable().default(null),
})

const Deliverables = z.strictObject({
  /** Of one file that the model hands over. */
  maxBytes: z
    .number()
    .int()
    .min(1)
    .max(4 * 1024 ** 3)
    .default(100 * 1024 * 1024),
})

const SettingsText = z.strictObject({
  $schema: z.string().optional(),
  host: z.string().min(1).default('127.0.0.1'),
  port: z.number().int().min(0).max(65_535).nullable().default(null),
  baseUrl: url.nullable().default(null),
  allowHosts: z.array(z.string().min(1)).default([]),
  maxWorking: z.number().int().min(1).max(1000).default(8),
  maxDepth: z.number().int().min(0).max(20).default(2),
  approvalTimeoutMs: milliseconds.nullable().default(null),
  notify: z.array(z.string().min(1)).default([]),
  targets: z
    .record(z.string().regex(/^[^:\s]+$/, 'a name has no colon and no space'), z.string().min(1))
    .default({}),
  webhookSecret: z.string().min(16, 'must have 16 characters or more').nullable().default(null),
  smtp: Smtp.nullable().default(null),
  allowPrivate: z.union([z.literal(true), z.array(z.string().min(1))]).default([]),
  passEnv: z.array(PassedName).default([]),
  protectedPaths: z
    .array(ProtectedPath)
    .max(1000)
    .default([...DEFAULT_PROTECTED_PATHS]),
  retention: Retention.prefault({}),
  backup: Backup.prefault({}),
  appServers: AppServers.default({}),
  /** null: SQLite, in the data folder. */
  database: databaseUrl.nullable().default(null),
  worker: Worker.prefault({}),
  tools: z.record(ToolName, ToolEntry).default({}),
  /** Names of tools that every new task gets. */
  defaultTools: z.array(word).max(100).default([]),
  deliverables: Deliverables.prefault({}),
  accounts: Accounts.prefault({}),
  workspaces: Workspaces.prefault({}),
  hooks: z.record(HookName, Hook).default({}),
  uploads: Uploads.prefault({}),
})

export type Settings = ReturnType<typeof settingsOf>

/** Checked and complete. `problem` is one line: where, and what is wrong. */
export function toSettings(value: unknown): { settings: Settings } | { problem: string } {
  const parsed = SettingsText.safeParse(value)
  if (parsed.success) return { settings: settingsOf(parsed.data) }
  const [issue] = parsed.error.issues
  const where = issue?.path.join('.')
  const [inner] = issue?.code === 'invalid_key' ? issue.issues : []
  const what = inner?.message ?? issue?.message ?? 'not settings'
  return { problem: `${where ? `${where}: ` : ''}${what}` }
}

/** As the parts of the service take them. */
function settingsOf({ retention, appServers, ...rest }: z.output<typeof SettingsText>) {
  const { taskMaxAgeDays, eventMaxAgeDays, maxBytes } = retention
  const { max, idleMs, maxMemoryBytes, crashLoop } = appServers
  return {
    ...rest,
    retention: { taskMaxAgeMs: toMs(taskMaxAgeDays), eventMaxAgeMs: toMs(eventMaxAgeDays), maxBytes },
    appServers: {
      ...(max !== undefined && { maxAppServers: max }),
      ...(idleMs !== undefined && { idleMs }),
      ...(maxMemoryBytes !== undefined && { maxMemoryBytes }),
      ...(crashLoop !== undefined && { crashLoop }),
    },
  }
}

function toMs(inDays: number | null): number | null {
  return inDays === null ? null : inDays * DAY_MS
}
