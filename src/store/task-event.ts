/**
 * One fact in a task's log. `frame` is the notification as codex wrote it, secrets taken out: `{"method":…,"params":…}`.
 * Ours have methods that begin with `drawbridge/`. Sequences grow by at least one; where `item/completed` has come, the
 * deltas of that item are gone and their numbers with them.
 */
export interface TaskEvent {
  readonly taskId: string
  readonly seq: number
  /** When it was received. */
  readonly at: number
  readonly method: string
  readonly frame: string
}

/** What our own events say. Everything else is codex's. */
export interface OwnEvents {
  /** The task's status and why; `drawbridge/task` is the first event of every task. */
  'drawbridge/task': { status: string; waitingFor: string | null; reason: string; evidence: unknown }
  /** Something about the task was changed by a person: title, archived, rules … */
  'drawbridge/changed': { fields: Readonly<Record<string, unknown>>; actor: string }
  /** A message was taken in, sent, or given up. */
  'drawbridge/message': {
    messageId: string
    mode: 'steer' | 'queue'
    status: 'queued' | 'delivered' | 'failed' | 'cancelled'
    text: string
    turnId: string | null
    actor: string
    why: string | null
  }
  'drawbridge/approval': {
    approvalId: string
    status: 'pending' | 'answered' | 'withdrawn'
    kind: string
    title: string
    by: string | null
    actor: string | null
    answer: unknown
    why: string | null
  }
  /** Files were given to the task, and the model hears of them with the next message; or they were taken back before. */
  'drawbridge/upload': {
    isTakenBack: boolean
    files: readonly { name: string; path: string; bytes: number; type: string }[]
    actor: string
  }
  /** The account that the next turns run on, when it is another than before. */
  'drawbridge/account': { account: string; before: string | null; why: string }
  /** Something that should not have happened and was survived. */
  'drawbridge/incident': { type: string; message: string }
  /** A hook began to run, or how it ended. */
  'drawbridge/hook': {
    runId: string
    /** By its name in the settings. */
    hook: string
    on: string
    /** What is run, as people read it. */
    title: string
    attempt: number
    /** `unknown`: the service was gone while it ran, and nobody knows whether it finished. */
    status: 'started' | 'done' | 'failed' | 'timed-out' | 'interrupted' | 'unknown' | 'skipped'
    exitCode: number | null
    durationMs: number | null
    problem: string | null
    /** How much it has written; null while it runs. */
    outputBytes: number | null
  }
  /** What a hook wrote. Of a long output the beginning and the end. */
  'drawbridge/hook-output': { runId: string; attempt: number; stream: 'stdout' | 'stderr'; text: string }
  /** A tool of the host program was called, and how that ended. */
  'drawbridge/tool-call': {
    tool: string
    callId: string
    turnId: string | null
    /** The sub-agent's thread, when a sub-agent called. */
    subAgentId: string | null
    /** As JSON; a long one is cut. */
    arguments: string
    durationMs: number
    outcome: 'ok' | 'bad-arguments' | 'failed' | 'timed-out' | 'cancelled'
    error: string | null
  }
  /** A file was handed over, or a delivery was answered. */
  'drawbridge/deliverable': {
    deliverableId: string
    number: number
    status: 'pending' | 'accepted' | 'sent-back'
    title: string
    path: string
    bytes: number
    sha256: string
    words: string | null
    actor: string | null
  }
  /** How far the model says it is. */
  'drawbridge/progress': { text: string; percent: number | null }
  /** The model wants a person to look; `reason` null: somebody has. */
  'drawbridge/attention': { reason: string | null; actor: string | null }
  /** A link for a person. Nothing opens it. */
  'drawbridge/link': { url: string }
  /** The model told the program that embeds Drawbridge something, or that program answered. */
  'drawbridge/caller-message': {
    messageId: string
    status: 'sent' | 'answered'
    name: string
    data: unknown
    answer: unknown
    actor: string | null
  }
  /** A frame too large to keep whole: its head, its size, and where the whole of it is. */
  'drawbridge/oversize': {
    method: string
    bytes: number
    head: string
    pointer: string | null
    itemId: string | null
  }
}

export type OwnMethod = keyof OwnEvents

export function ownFrame<M extends OwnMethod>(method: M, params: OwnEvents[M]): string {
  return JSON.stringify({ method, params })
}
