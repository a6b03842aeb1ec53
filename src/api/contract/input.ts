// What a turn is given and what it may do, in codex's own words.
import { z } from 'zod'

const MAX_TEXT = 1_100_000
const detail = z.enum(['auto', 'low', 'high', 'original']).optional()
const path = z.string().min(1).max(4096)

const TextItem = z.strictObject({
  type: z.literal('text'),
  text: z.string().max(MAX_TEXT),
  text_elements: z
    .array(
      z.strictObject({
        byteRange: z.strictObject({ start: z.number().int(), end: z.number().int() }),
        placeholder: z.string().nullable(),
      }),
    )
    .default([]),
})

export const InputItem = z
  .discriminatedUnion('type', [
    TextItem,
    z.strictObject({ type: z.literal('image'), url: z.string().startsWith('data:image/'), detail }),
    z.strictObject({ type: z.literal('localImage'), path, detail }),
    z.strictObject({ type: z.literal('skill'), name: z.string(), path }),
    z.strictObject({ type: z.literal('mention'), name: z.string(), path }),
  ])
  .meta({ id: 'InputItem', description: 'As codex takes it. Images are sent as data: URLs.' })
export type InputItem = z.input<typeof InputItem>

export const TurnInput = z
  .union([z.string().min(1).max(MAX_TEXT), z.array(InputItem).min(1).max(200)])
  .meta({ id: 'TurnInput', description: 'Plain text, or items.' })
export type TurnInput = z.input<typeof TurnInput>

export const PresetName = z
  .enum(['ask-all', 'read-only', 'workspace', 'trusted'])
  .meta({ id: 'PresetName', description: 'Ready-made rules: what is answered without a person.' })
export type PresetName = z.infer<typeof PresetName>

const word = z.string().min(1).max(200)

const ApprovalPolicy = z
  .union([
    z.enum(['untrusted', 'on-request', 'on-failure', 'never']),
    z.strictObject({
      granular: z.strictObject({
        sandbox_approval: z.boolean(),
        rules: z.boolean(),
        skill_approval: z.boolean(),
        request_permissions: z.boolean(),
        mcp_elicitations: z.boolean(),
      }),
    }),
  ])
  .meta({ description: 'When codex asks.' })

export const ThreadPolicy = z
  .strictObject({
    approvalPolicy: ApprovalPolicy.optional(),
    sandbox: z
      .enum(['read-only', 'workspace-write', 'danger-full-access'])
      .optional()
      .meta({ description: 'What commands may touch. Not together with `permissions`.' }),
    permissions: word.optional().meta({ description: 'A named permission profile.' }),
    approvalsReviewer: z.enum(['user', 'auto_review', 'guardian_subagent']).optional(),
    model: word.optional(),
    modelProvider: word.optional(),
    effort: word.optional(),
    serviceTier: word.optional(),
    developerInstructions: z.string().max(100_000).optional(),
  })
  .meta({ id: 'ThreadPolicy' })
export type ThreadPolicy = z.infer<typeof ThreadPolicy>

export const TurnOverrides = ThreadPolicy.pick({
  model: true,
  effort: true,
  approvalPolicy: true,
  sandbox: true,
})
  .extend({ preset: PresetName.optional(), outputSchema: z.unknown().optional() })
  .meta({ id: 'TurnOverrides', description: 'For this turn and those after it.' })
export type TurnOverrides = z.infer<typeof TurnOverrides>
