// What a hook is told of its task, and when it is to run at all.
import { redact } from '../../codex/index.ts'
import {
  hasEnded,
  type NotedEvent,
  type OwnEvents,
  type StoredTask,
  type TaskStatus,
} from '../../store/index.ts'
import type { HookEvent, HookFacts, HookTask, HookUpload, TaskWorkspace } from '../model/index.ts'

/** Something happened that hooks run for. */
export interface Occasion {
  readonly on: Exclude<HookEvent, 'before'>
  /** Each has its own within a task; null: it is known by the task's state. */
  readonly subject: string | null
  /** What is told beside the task. */
  readonly told: Partial<Pick<HookFacts, 'deliverable' | 'upload' | 'question'>>
}

/** Which of our own events hooks run for; null for one that is of no concern. */
const OCCASIONS = {
  'drawbridge/task': ({ status }) =>
    isEnd(status as TaskStatus) ? { on: 'after', subject: null, told: {} } : null,
  'drawbridge/approval': ({ status, approvalId: id, kind, title }) =>
    status === 'pending'
      ? { on: 'onQuestion', subject: id, told: { question: { id, kind, title: redact(title) } } }
      : null,
  'drawbridge/deliverable': ({ status, deliverableId: id, number, title, path, bytes, sha256 }) => {
    const deliverable = { id, number, title: redact(title), path, bytes, sha256 }
    return status === 'pending' ? { on: 'onDeliverable', subject: id, told: { deliverable } } : null
  },
  'drawbridge/upload': ({ files, actor }, now) => ({
    ...{ on: 'onUpload', subject: `${now} ${JSON.stringify(files)}` },
    told: { upload: { files, actor } },
  }),
} satisfies { [M in keyof OwnEvents]?: (params: OwnEvents[M], now: number) => Occasion | null }

export const NOTED_METHODS = new Set(Object.keys(OCCASIONS)) as ReadonlySet<NotedEvent['method']>

export function occasionOf({ method, params }: NotedEvent, now: number): Occasion | null {
  const read = OCCASIONS[method as keyof typeof OCCASIONS] as
    | ((params: NotedEvent['params'], now: number) => Occasion | null)
    | undefined
  return read?.(params, now) ?? null
}

/** An idle task waits for more, and a limited one goes on by itself. */
function isEnd(status: TaskStatus): boolean {
  return hasEnded(status) && status !== 'idle' && status !== 'limited'
}

export function taskFacts(row: StoredTask, labels: readonly string[]): HookTask {
  const workspace = row.workspace === null ? null : (JSON.parse(row.workspace) as TaskWorkspace)
  return {
    id: row.id,
    title: row.title,
    status: row.status as TaskStatus,
    reason: row.reason,
    cwd: row.cwd,
    host: row.host,
    labels,
    workspace: workspace && {
      id: workspace.id,
      kind: workspace.kind,
      branch: workspace.branch,
      source: workspace.source,
    },
    turns: row.turn_count,
    forkedFrom: row.forked_from,
    parent: row.parent,
  }
}

/** The same as variables: what a one-line command needs. */
export function variablesOf(facts: HookFacts): Record<string, string> {
  const { event, hook, task, question, deliverable, upload } = facts
  const found: Record<string, unknown> = {
    EVENT: event,
    HOOK: hook,
    TASK_ID: task.id,
    TASK_TITLE: task.title,
    TASK_STATUS: task.status,
    TASK_CWD: task.cwd,
    TASK_LABELS: task.labels.join(','),
    WORKSPACE: task.workspace?.id,
    WORKSPACE_KIND: task.workspace?.kind,
    WORKSPACE_BRANCH: task.workspace?.branch,
    WORKSPACE_SOURCE: task.workspace?.source,
    QUESTION_ID: question?.id,
    QUESTION_KIND: question?.kind,
    QUESTION_TITLE: question?.title,
    DELIVERABLE_ID: deliverable?.id,
    DELIVERABLE_PATH: deliverable?.path,
    UPLOAD_PATHS: upload && pathsOf(upload),
  }
  const given = Object.entries(found).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(given.map(([name, value]) => [`DRAWBRIDGE_${name}`, variable(String(value))]))
}

/** The system refuses a NUL, and a variable that is too long: all of it is in the JSON. */
const MAX_VARIABLE = 16_384

function variable(text: string): string {
  return text.replaceAll('\0', '').slice(0, MAX_VARIABLE)
}

function pathsOf({ files }: HookUpload): string {
  return files.map(({ path }) => path).join('\n')
}
