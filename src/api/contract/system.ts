import { z } from 'zod'
import { TokenScope } from './token.ts'

export const ModelList = z
  .object({ items: z.array(z.unknown()).meta({ description: 'As codex lists them.' }) })
  .meta({ id: 'ModelList' })
export type ModelList = z.infer<typeof ModelList>

export const AppServer = z
  .object({
    id: z.string(),
    pid: z.number().nullable(),
    key: z.object({
      codexPath: z.string().nullable(),
      codexHome: z.string().nullable(),
      execHost: z.string().nullable().describe('The host in exec mode that its tasks work on.'),
    }),
    codexVersion: z.string().nullable(),
    startedAt: z.number(),
    state: z.enum(['starting', 'running', 'draining']),
    holds: z.number().meta({ description: 'How many need it now: a turn that runs is one.' }),
    threads: z.number().meta({ description: 'How many threads of tasks are open in it.' }),
    memoryBytes: z.number().nullable(),
  })
  .meta({ id: 'AppServer', description: 'One codex process.' })
export type AppServer = z.infer<typeof AppServer>

export const TaskCounts = z
  .object({
    byStatus: z.record(z.string(), z.number()),
    openApprovals: z.number(),
    oldestApprovalAt: z.number().nullable(),
    pendingNotices: z.number(),
    deadNotices: z.number(),
  })
  .meta({ id: 'TaskCounts' })
export type TaskCounts = z.infer<typeof TaskCounts>

export const Status = z
  .object({
    version: z.string(),
    startedAt: z.number(),
    pid: z.number(),
    isStopping: z.boolean(),
    actor: z.string().meta({ description: 'Who you are to the service.' }),
    grant: TokenScope.extend({ tokenId: z.string(), name: z.string() })
      .nullable()
      .meta({ description: 'What your token may do; null: everything.' }),
    /** null: the token may not see tasks. */
    counts: TaskCounts.nullable(),
    demo: z
      .object({ codexHome: z.string(), cwd: z.string() })
      .nullable()
      .meta({ description: 'Tasks with this home run on the built-in demo model, without an account.' }),
    database: z
      .object({
        kind: z.enum(['sqlite', 'postgres']),
        place: z.string().meta({ description: 'The file, or the address without its password.' }),
      })
      .nullable()
      .meta({ description: 'Where tasks are kept.' }),
    defaultCwd: z.string().nullable().meta({ description: 'Where the service was started.' }),
  })
  .meta({ id: 'Status' })
export type Status = z.infer<typeof Status>

export const Shutdown = z
  .strictObject({
    drain: z.boolean().optional().meta({ description: 'Let running turns end first. Default true.' }),
  })
  .meta({ id: 'Shutdown' })
export type Shutdown = z.input<typeof Shutdown>

export const Accepted = z.object({ accepted: z.literal(true) }).meta({ id: 'Accepted' })
