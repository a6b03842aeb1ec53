import { z } from 'zod'
import { JSON_BOUNDS, whyTooMuch } from '../../util/json-bounds.ts'
import { PageQuery } from './paging.ts'
import { Question, Word } from './question.ts'

/** An answer as it is stored and shown. What was given to secret questions is not in it. */
const KeptAnswer = z
  .union([
    Word,
    z.object({ answers: z.record(z.string(), z.array(z.string())) }),
    z.object({ content: z.record(z.string(), z.unknown()) }),
    z.object({ permissions: z.unknown(), scope: z.enum(['turn', 'session']) }),
    z.object({ result: z.unknown() }),
  ])
  .meta({ id: 'KeptAnswer' })

const FileSystemPermissions = z.looseObject({
  read: z.array(z.string()).nullable(),
  write: z.array(z.string()).nullable(),
})

/** What is nested too deep cannot be written down. */
const Given = z.unknown().superRefine((value, { addIssue }) => {
  const why = whyTooMuch(value, { ...JSON_BOUNDS, characters: Number.POSITIVE_INFINITY })
  if (why !== null) addIssue(why)
})

export const Answer = z
  .union([
    Word,
    z.strictObject({ answers: z.record(z.string(), z.array(z.string())) }),
    z.strictObject({ content: z.record(z.string(), Given) }),
    z.strictObject({
      permissions: z.strictObject({
        network: z.strictObject({ enabled: z.boolean().nullable() }).optional(),
        fileSystem: FileSystemPermissions.optional(),
      }),
      scope: z.enum(['turn', 'session']),
    }),
    z.strictObject({ result: Given }),
  ])
  .meta({
    id: 'Answer',
    description:
      "A word, the values asked for, the part of the permissions that is granted, or codex's own reply.",
  })
export type Answer = z.input<typeof Answer>

const By = z.enum(['rule', 'person', 'default'])

export const Approval = z
  .object({
    id: z.string(),
    taskId: z.string(),
    kind: z.enum(['command', 'file-change', 'permissions', 'mcp-tool', 'elicitation', 'user-input']),
    question: Question,
    proposedRule: z
      .string()
      .nullable()
      .meta({ description: 'What `always` would make a standing rule; null where no rule can say it.' }),
    status: z.enum(['pending', 'answered', 'withdrawn']),
    answer: KeptAnswer.nullable(),
    by: By.nullable(),
    actor: z.string().nullable().meta({ description: 'The person or program that answered.' }),
    rule: z.string().nullable(),
    why: z.string().nullable(),
    createdAt: z.number(),
    deadlineAt: z.number().nullable().meta({ description: 'When the answer will be no.' }),
    settledAt: z.number().nullable(),
  })
  .meta({ id: 'Approval', description: 'A question codex asks.' })
export type Approval = z.infer<typeof Approval>

export const Decide = z
  .strictObject({
    answer: Answer,
    why: z.string().max(2000).optional(),
    retry: z
      .strictObject({
        network: z.boolean().meta({ description: 'Commands reach the network from then on.' }),
      })
      .optional()
      .meta({
        description:
          'With a no to a command: codex tries again in another turn, for when a yes cannot give what the command needs (network, or a folder that has just been trusted).',
      }),
    rule: z
      .string()
      .min(1)
      .max(2000)
      .optional()
      .meta({ description: 'With `always`: also make this a standing rule, one line.' }),
  })
  .meta({ id: 'Decide' })
export type Decide = z.input<typeof Decide>

export const ApprovalListQuery = PageQuery.extend({
  taskId: z.string().optional(),
  status: z.enum(['pending', 'answered', 'withdrawn']).optional(),
})

export const AuditEntry = z
  .object({
    id: z.number(),
    at: z.number(),
    approvalId: z.string(),
    taskId: z.string(),
    kind: z.string(),
    title: z.string(),
    answer: KeptAnswer.nullable(),
    by: By,
    actor: z.string().nullable(),
    rule: z.string().nullable(),
    why: z.string().nullable(),
  })
  .meta({ id: 'AuditEntry' })
export type AuditEntry = z.infer<typeof AuditEntry>

export const AuditQuery = PageQuery.extend({ taskId: z.string().optional() })
