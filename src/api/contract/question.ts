// What codex asks. Parts that are codex's own pass through as they are.
import { z } from 'zod'

export const Word = z.enum(['once', 'session', 'always', 'deny', 'cancel']).meta({ id: 'Word' })
export type Word = z.infer<typeof Word>

const asked = {
  requestId: z.union([z.string(), z.number()]).nullable(),
  method: z.string().nullable(),
  threadId: z.string().nullable(),
  turnId: z.string().nullable(),
  itemId: z.string().nullable(),
  parent: z
    .object({ threadId: z.string(), turnId: z.string() })
    .nullable()
    .meta({ description: 'The turn on whose behalf it is asked, when a sub-agent asks.' }),
  host: z
    .string()
    .optional()
    .meta({ description: 'The host it is asked about, as people call it. Absent: where codex runs.' }),
  title: z.string(),
  reason: z.string().nullable(),
  choices: z.array(
    z.object({ word: Word, effect: z.string(), lasts: z.enum(['now', 'turn', 'thread', 'for good']) }),
  ),
  params: z.unknown(),
}

const CommandQuestion = z.object({
  kind: z.literal('command'),
  ...asked,
  command: z.string(),
  argv: z.array(z.string()).nullable(),
  cwd: z.string(),
  actions: z.array(z.unknown()),
  network: z.unknown(),
  additionalPermissions: z.unknown(),
  escalation: z
    .object({ network: z.boolean(), protectedFiles: z.boolean(), isConfined: z.literal(true).optional() })
    .nullable()
    .meta({
      description:
        'What the command reaches outside the sandbox when it is approved: the network, and files such as logins that are protected inside. `isConfined`: inside, it sees only what was named. null: it stays inside.',
    }),
})

const FileChangeQuestion = z.object({
  kind: z.literal('file-change'),
  ...asked,
  changes: z.array(z.object({ path: z.string(), kind: z.unknown(), diff: z.string() })),
  grantRoot: z.string().nullable(),
  cwd: z.string(),
})

const PermissionsQuestion = z.object({
  kind: z.literal('permissions'),
  ...asked,
  permissions: z.unknown(),
  cwd: z.string(),
})

const McpToolQuestion = z.object({
  kind: z.literal('mcp-tool'),
  ...asked,
  server: z.string(),
  tool: z.string().nullable(),
  description: z.string().nullable(),
  arguments: z.unknown(),
})

const ElicitationQuestion = z.object({
  kind: z.literal('elicitation'),
  ...asked,
  server: z.string(),
  message: z.string(),
  schema: z.unknown().meta({ description: 'JSON Schema of an object; null when a page is to be visited.' }),
  url: z.string().nullable(),
})

const UserInputQuestion = z.object({
  kind: z.literal('user-input'),
  ...asked,
  questions: z.array(
    z.object({
      id: z.string(),
      header: z.string(),
      question: z.string(),
      isOther: z.boolean(),
      isSecret: z.boolean(),
      options: z.array(z.object({ label: z.string(), description: z.string() })).nullable(),
    }),
  ),
  isBlocking: z.boolean(),
  delivery: z.enum(['request', 'async']),
})

export const Question = z
  .discriminatedUnion('kind', [
    CommandQuestion,
    FileChangeQuestion,
    PermissionsQuestion,
    McpToolQuestion,
    ElicitationQuestion,
    UserInputQuestion,
  ])
  .meta({ id: 'Question' })
export type Question = z.infer<typeof Question>
