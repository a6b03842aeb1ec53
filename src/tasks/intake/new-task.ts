// A request for a task, checked and made into rows.
import { createHash } from 'node:crypto'
import path from 'node:path'
import { uuidv7 } from 'uuidv7'
import { isPreset, problemWithAccess, redact, type ThreadPolicy, type TurnInput } from '../../codex/index.ts'
import type { MessageRow, TaskInsert } from '../../store/index.ts'
import { checkRules } from '../approvals/index.ts'
import { type PlannedWorkspace, parseSnapshotTimes, type StartTask, TaskError } from '../model/index.ts'
import { checkFolder, checkInput, checkIsThere, checkOutputSchema, checkPaths } from './check-input.ts'

const MAX_TITLE = 120
const MAX_LABELS = 50
/** Of a prompt as it is shown in lists; the message itself goes to codex whole. */
const MAX_PROMPT = 20_000

export interface NewTask {
  readonly task: TaskInsert
  readonly labels: readonly string[]
}

export function newTask(
  request: StartTask,
  {
    now,
    defaultNotify,
    isHere = true,
    tools = [],
    account = null,
    place = null,
  }: {
    now: number
    defaultNotify: readonly string[]
    isHere?: boolean
    tools?: readonly string[]
    account?: { readonly account: string; readonly accountId: string | null } | null
    /** The workspace that will be made for it. */
    place?: Pick<PlannedWorkspace, 'cwd' | 'workspace'> | null
  },
): NewTask {
  checkRequest(request)
  // codex takes a folder that is not there without a word, and then every command fails.
  if (isHere && request.host === undefined) {
    checkFolder(path.resolve(request.cwd))
    for (const { path: allowed } of request.policy?.allow ?? []) checkIsThere(allowed)
  }
  const prompt = redact(textOf(request.prompt))
  return {
    labels: (request.labels ?? []).map((label) => redact(label)),
    task: {
      id: uuidv7(),
      title: request.title === undefined ? titleOf(firstLine(prompt)) : titleOf(redact(request.title)),
      status: 'queued',
      waiting_for: null,
      reason: 'it waits for its turn',
      evidence: '{}',
      prompt: prompt.slice(0, MAX_PROMPT),
      cwd: place?.cwd ?? path.resolve(request.cwd),
      codex_path: request.codexPath ?? null,
      codex_home: request.codexHome ?? null,
      policy: JSON.stringify({ ...DEFAULT_POLICY, ...withoutUndefined(request.policy ?? {}) }),
      effective_policy: null,
      preset: request.preset ?? 'ask-all',
      rules: JSON.stringify(request.rules ?? []),
      notify: JSON.stringify(request.notify ?? defaultNotify),
      keep_open: request.keepOpen ? 1 : 0,
      timeout_ms: request.timeoutMs ?? null,
      approval_timeout_ms: request.approvalTimeoutMs ?? null,
      output_schema: request.outputSchema == null ? null : JSON.stringify(request.outputSchema),
      thread_id: null,
      turn_id: null,
      turn_count: 0,
      app_server_id: null,
      forked_from: null,
      fork_of: null,
      limited_until: null,
      limit_resumes: 0,
      result: null,
      failure: null,
      usage: null,
      queued_at: now,
      last_seq: 0,
      idempotency_key: request.idempotencyKey ?? null,
      request_hash: request.idempotencyKey === undefined ? null : hashOf(request),
      created_at: now,
      updated_at: now,
      started_at: null,
      ended_at: null,
      archived_at: null,
      wants: request.on ?? null,
      on_lost: request.onLost ?? 'wait',
      tools: JSON.stringify(tools),
      account: account?.account ?? null,
      account_id: account?.accountId ?? null,
      on_limit: request.onLimit ?? null,
      host: request.host ?? null,
      workspace: place && JSON.stringify(place.workspace),
      snapshots: snapshotTimes(request.snapshots),
    },
  }
}

/** As it was asked for, when it makes sense. */
function snapshotTimes(text: string | undefined): string | null {
  return text === undefined || parseSnapshotTimes(text) === null ? null : text
}

const DEFAULT_POLICY: ThreadPolicy = { approvalPolicy: 'on-request', sandbox: 'read-only' }

export function newMessage(
  taskId: string,
  { input, mode, overrides, clientId, actor, now }: NewMessage,
): MessageRow {
  checkInput(input)
  const text = redact(textOf(input))
  if (text.trim() === '' && typeof input === 'string')
    throw new TaskError('bad-request', 'the message is empty: say what codex should do')
  return {
    id: uuidv7(),
    task_id: taskId,
    client_id: clientId ?? null,
    mode,
    input: JSON.stringify(input),
    text,
    overrides: overrides === undefined ? null : JSON.stringify(overrides),
    status: 'queued',
    turn_id: null,
    actor,
    created_at: now,
    updated_at: now,
  }
}

/** A request that is made once, however often it comes. */
interface Keyed {
  readonly idempotencyKey?: string | undefined
}

export interface NewMessage {
  readonly input: TurnInput
  readonly mode: 'steer' | 'queue'
  readonly overrides?: unknown
  readonly clientId?: string | undefined
  readonly actor: string
  readonly now: number
}

/** Two requests with the same key must be the same. */
export function hashOf<T extends object>({ idempotencyKey: _, ...request }: T & Keyed): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(request)))
    .digest('hex')
}

/** One line, not too long. */
export function titleOf(text: string): string {
  const line = text.trim().replace(/\s*[\r\n\u2028\u2029]\s*/g, ' ') || 'untitled'
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1).toWellFormed()}…` : line
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0]!
}

function textOf(input: TurnInput): string {
  if (typeof input === 'string') return input
  return input.map((item) => ('text' in item ? item.text : `[${item.type}]`)).join('\n')
}

export function checkPreset(preset: string | undefined): void {
  if (preset !== undefined && !isPreset(preset))
    throw new TaskError(
      'bad-request',
      `there is no preset "${preset}": use ask-all, read-only, workspace or trusted`,
    )
}

function checkRequest(request: StartTask): void {
  const { prompt, cwd, codexPath, codexHome, labels = [], rules = [], preset, outputSchema } = request
  checkInput(prompt)
  checkPaths({ cwd, codexPath, codexHome })
  checkOutputSchema(outputSchema)
  checkPreset(preset)
  checkRules(rules)
  const problem = problemWithAccess(request.policy ?? {})
  if (problem !== null) throw new TaskError('bad-request', problem)
  if (request.host !== undefined && request.policy?.confined)
    throw new TaskError(
      'bad-request',
      'a task on another host cannot be confined: leave it out, or run it here',
    )
  if (request.account !== undefined && codexHome !== undefined)
    throw new TaskError('bad-request', 'an account has a codex home of its own: leave codexHome out')
  if (labels.length > MAX_LABELS)
    throw new TaskError('bad-request', `a task has at most ${MAX_LABELS} labels`)
}

function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as T
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, sorted(inner)]),
  )
}
