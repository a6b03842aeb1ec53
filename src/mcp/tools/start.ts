import path from 'node:path'
import { z } from 'zod'
import { DrawbridgeError } from '../../codex/index.ts'
import { parseWorkspace, type StartTask } from '../../tasks/index.ts'
import type { McpCaller } from '../mcp-caller.ts'
import { statusLines, taskJson } from '../text/task-text.ts'
import { ClientRequestId, Prompt } from './fields.ts'
import { requestKey } from './request-key.ts'
import { defineTool } from './tool.ts'

const Input = z.strictObject({
  prompt: Prompt,
  cwd: z.string().min(1).max(4096).optional().describe('Folder to work in, absolute'),
  clientRequestId: ClientRequestId.optional(),
  title: z.string().trim().min(1).max(500).optional(),
  model: z.string().min(1).max(200).optional(),
  effort: z.string().min(1).max(50).optional(),
  sandbox: z.enum(['read-only', 'workspace-write']).optional().describe('Default read-only'),
  network: z
    .union([z.boolean(), z.strictObject({ domains: z.array(z.string().min(1).max(255)).min(1).max(100) })])
    .optional(),
  allow: z
    .array(z.strictObject({ path: z.string().min(1).max(4096), access: z.enum(['ro', 'rw']) }))
    .max(50)
    .optional()
    .describe('More that commands may touch, absolute'),
  confined: z.boolean().optional().describe('Commands see only cwd and what allow names'),
  approvalPolicy: z.enum(['untrusted', 'on-request']).optional(),
  preset: z.enum(['ask-all', 'read-only', 'workspace']).optional().describe('What runs without a question'),
  keepOpen: z.boolean().optional().describe('Stays idle for more messages'),
  notify: z
    .array(z.string().min(1).max(2000))
    .max(20)
    .optional()
    .describe('Where notices go: local, webhook:https://…, a name'),
  labels: z.array(z.string().trim().min(1).max(200)).max(50).optional(),
  timeoutS: z.number().int().min(1).max(604_800).optional().describe('For each turn'),
  outputSchema: z.record(z.string(), z.unknown()).optional().describe('JSON Schema of the answer'),
  workspace: z
    .string()
    .max(4096)
    .optional()
    .describe('folder (default), worktree[:branch], clone:<path or address>, scratch'),
  shareFolder: z.boolean().optional().describe('Also where another task writes'),
  codexHome: z.string().min(1).max(4096).optional(),
  host: z.string().min(1).max(200).optional().describe('Run on this host, in cwd there'),
  account: z.string().min(1).max(200).optional().describe('Codex login to use: a name or pool:…'),
})

export const start = defineTool({
  name: 'task_start',
  description: 'Starts a Codex task and returns at once with its id. Follow it with task_wait.',
  input: Input,
  async run(input, { caller, signal, threadId, onStarted }) {
    const parent = threadId === null ? undefined : { threadId }
    const request = { ...startRequest(input, caller), parent }
    const task = await caller.tasks.start(request, { ...caller.by, signal })
    onStarted(task)
    return [taskJson(task, { cursor: 0 }), ...statusLines(task)].join('\n')
  },
})

function startRequest(input: z.infer<typeof Input>, caller: McpCaller): StartTask {
  const { prompt, title, model, effort, sandbox, approvalPolicy, preset, keepOpen } = input
  const { notify, labels, timeoutS, outputSchema, codexHome, host, account, workspace, shareFolder } = input
  return {
    prompt,
    // A folder on a host is named from / on: none of this machine is meant.
    cwd: folderOf(input.cwd, host === undefined ? caller.defaultCwd : null),
    policy: {
      sandbox: sandbox ?? 'read-only',
      ...accessOf(input),
      ...(approvalPolicy !== undefined && { approvalPolicy }),
      ...(model !== undefined && { model }),
      ...(effort !== undefined && { effort }),
    },
    title,
    preset,
    keepOpen,
    notify,
    labels,
    codexHome,
    host,
    account,
    shareFolder,
    ...(workspace !== undefined && { workspace: parseWorkspace(workspace) }),
    timeoutMs: timeoutS === undefined ? undefined : timeoutS * 1000,
    ...(outputSchema !== undefined && { outputSchema }),
    idempotencyKey: requestKey(input.clientRequestId, caller),
  }
}

function accessOf({ network, allow, confined }: z.infer<typeof Input>): StartTask['policy'] {
  return {
    ...(network !== undefined && { network }),
    ...(allow !== undefined && { allow }),
    ...(confined !== undefined && { confined }),
  }
}

/** A relative folder is of the program that started us, as a person there would mean it. */
function folderOf(given: string | undefined, from: string | null): string {
  if (given !== undefined && path.isAbsolute(given)) return given
  if (from !== null) return path.resolve(from, given ?? '.')
  throw new DrawbridgeError('say cwd: the absolute folder to work in', { code: 'bad-request' })
}
