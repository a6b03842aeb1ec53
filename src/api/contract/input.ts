// What a turn is given and what it may do, in codex's own words.
import { z } from 'zod'
import { inputCharacters, MAX_INPUT_CHARACTERS } from '../../codex/index.ts'
import { problemWithObject } from '../../util/json-bounds.ts'

const detail = z.enum(['auto', 'low', 'high', 'original']).optional()

export const PathText = z
  .string()
  .min(1)
  .max(4096)
  .refine((text) => !text.includes('\0'), 'no path has a NUL in it')
const path = PathText

/** A relative one would mean another folder to whoever asks than to the service. */
export const AbsolutePath = PathText.refine(
  (text) => text.startsWith('/') || /^[A-Za-z]:[\\/]/.test(text),
  'must be an absolute path',
)

export const OutputSchema = z
  .unknown()
  .superRefine((schema, { addIssue }) => {
    const problem = schema == null ? null : problemWithObject(schema)
    if (problem !== null) addIssue(problem)
  })
  .meta({ description: 'JSON Schema of the answer: an object, nested at most 100 deep.' })

const TextItem = z.strictObject({
  type: z.literal('text'),
  text: z.string(),
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
  .union([z.string().min(1), z.array(InputItem).min(1).max(200)])
  .superRefine((input, { addIssue }) => {
    const tooBig = {
      code: 'too_big',
      origin: 'string',
      maximum: MAX_INPUT_CHARACTERS,
      inclusive: true,
    } as const
    if (inputCharacters(input) > MAX_INPUT_CHARACTERS) addIssue({ ...tooBig, input })
  })
  .meta({ id: 'TurnInput', description: 'Plain text, or items; at most 1,048,576 characters.' })
export type TurnInput = z.input<typeof TurnInput>

export const PresetName = z.enum(['ask-all', 'read-only', 'workspace', 'trusted']).meta({
  id: 'PresetName',
  description:
    'Ready-made rules: what is answered without a person. Only `trusted` lets commands leave the sandbox: code in ' +
    'the workspace can then read and change your files and logins, and use the network.',
})
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

export const AllowedPath = z
  .strictObject({
    path: AbsolutePath.meta({ description: 'On the machine of the commands; the task keeps its real path.' }),
    access: z.enum(['ro', 'rw']).meta({ description: 'To read, or to read and write.' }),
  })
  .meta({ id: 'AllowedPath' })

export const NetworkAccess = z
  .union([z.boolean(), z.strictObject({ domains: z.array(z.string().min(1).max(255)).min(1).max(100) })])
  .meta({
    id: 'NetworkAccess',
    description: 'All of it, none, or the named domains: `example.org`, or `*.example.org` for all below it.',
  })

export const ThreadPolicy = z
  .strictObject({
    approvalPolicy: ApprovalPolicy.optional(),
    sandbox: z
      .enum(['read-only', 'workspace-write', 'danger-full-access'])
      .optional()
      .meta({ description: 'What commands may touch. Not together with `permissions`.' }),
    network: NetworkAccess.optional().meta({
      description: 'Whether commands reach the network from inside the sandbox: all, none, or some domains.',
    }),
    allow: z.array(AllowedPath).max(50).optional().meta({
      description: 'Files and folders that commands may read, or write to, besides the workspace.',
    }),
    confined: z
      .boolean()
      .optional()
      .meta({
        description:
          'Commands see only the workspace, what `allow` names, and the programs of the system. As `allow` and network ' +
          'domains it needs codex 0.161 or newer.',
      }),
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
  .extend({ preset: PresetName.optional(), outputSchema: OutputSchema.optional() })
  .meta({ id: 'TurnOverrides', description: 'For this turn and those after it.' })
export type TurnOverrides = z.infer<typeof TurnOverrides>
