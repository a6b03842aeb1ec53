import { z } from 'zod'
import { PathText, PresetName } from './input.ts'

const Side = z.enum(['inside', 'outside'])

export const StandingRule = z
  .object({
    id: z.string(),
    text: z.string().meta({ description: 'In one line: `allow command git status`.' }),
    reach: Side.nullable().meta({
      description:
        'How far it lets commands go: `outside` when one may leave the sandbox. Null: it allows no command.',
    }),
    note: z.string().nullable(),
    createdAt: z.number(),
    createdBy: z.string(),
    approvalId: z.string().nullable().meta({ description: 'The question it came from.' }),
    expiresAt: z.number().nullable(),
    revokedAt: z.number().nullable(),
    revokedBy: z.string().nullable(),
  })
  .meta({ id: 'StandingRule', description: 'Stands for all tasks until it is revoked or expires.' })
export type StandingRule = z.infer<typeof StandingRule>

export const RuleList = z.object({ items: z.array(StandingRule) }).meta({ id: 'RuleList' })

export const RuleListQuery = z.object({
  revoked: z.enum(['true', 'false']).optional().meta({ description: 'With revoked ones.' }),
})

export const AddRule = z
  .strictObject({ text: z.string().min(1).max(2000), note: z.string().max(2000).optional() })
  .meta({ id: 'AddRule' })
export type AddRule = z.input<typeof AddRule>

export const CheckRules = z
  .strictObject({
    command: z.string().min(1).max(100_000),
    cwd: PathText,
    preset: PresetName.optional(),
    rules: z
      .array(z.string().min(1).max(2000))
      .max(200)
      .optional()
      .meta({ description: 'Besides the standing ones.' }),
    labels: z.array(z.string()).max(50).optional(),
    sandboxed: z
      .boolean()
      .optional()
      .meta({ description: 'As a command that stays inside the sandbox; else one that leaves it.' }),
  })
  .meta({ id: 'CheckRules' })
export type CheckRules = z.input<typeof CheckRules>

const Named = z.object({ id: z.string(), text: z.string() }).nullable()
const Ruling = z.enum(['allow', 'deny', 'ask'])

export const CheckedRules = z
  .object({
    answer: Ruling,
    rule: Named,
    why: z.string(),
    sandbox: Side.meta({ description: 'Where the command would run, of the sandbox.' }),
    notes: z
      .array(z.string())
      .meta({ description: 'What to know about the preset: what it gives away, or where.' }),
    parts: z.array(z.object({ text: z.string(), answer: Ruling, rule: Named, why: z.string() })),
  })
  .meta({ id: 'CheckedRules', description: 'What the rules say to a command, part by part.' })
export type CheckedRules = z.infer<typeof CheckedRules>
