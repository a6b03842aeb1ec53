// What is stored of a task, as everyone outside sees it.
import { type Failure, redactJsonLine } from '../../codex/index.ts'
import { type Db, type ShownTask, shownTask, type TaskStatus } from '../../store/index.ts'
import { showTargetText } from '../targets/index.ts'
import { openAttention } from './handover.ts'
import { toResult } from './result-columns.ts'
import type { Task } from './task.ts'

/** Long answers whole. */
export async function findTask(db: Db, id: string): Promise<Task | null> {
  const row = await shownTask(db, id)
  return row ? toTask(row) : null
}

export function toTask(row: ShownTask): Task {
  return {
    id: row.id,
    title: row.title,
    status: row.status as TaskStatus,
    waitingFor: row.waiting_for as Task['waitingFor'],
    reason: row.reason,
    evidence: JSON.parse(row.evidence),
    prompt: row.prompt,
    cwd: row.cwd,
    codexPath: row.codex_path,
    codexHome: row.codex_home,
    account: row.account,
    accountId: row.account_id,
    onLimit: row.on_limit as Task['onLimit'],
    // Stored as given, since codex is sent them again with every turn.
    policy: shown<Task['policy']>(row.policy)!,
    effectivePolicy: shown(row.effective_policy),
    preset: row.preset as Task['preset'],
    rules: JSON.parse(row.rules),
    labels: row.labels,
    tools: JSON.parse(row.tools),
    host: row.host,
    // Those of earlier versions have no parts.
    workspace: row.workspace === null ? null : { parts: [], ...JSON.parse(row.workspace) },
    snapshots: row.snapshots,
    restoredFrom: row.restored_from,
    notify: (JSON.parse(row.notify) as string[]).map(showTargetText),
    keepOpen: row.keep_open === 1,
    timeoutMs: row.timeout_ms,
    approvalTimeoutMs: row.approval_timeout_ms,
    outputSchema: shown(row.output_schema),
    worker: row.worker_id === null ? null : { id: row.worker_id, name: row.worker_name ?? row.worker_id },
    on: row.wants,
    onLost: row.on_lost as Task['onLost'],
    threadId: row.thread_id,
    turnId: row.turn_id,
    turnCount: row.turn_count,
    forkedFrom: row.forked_from,
    createdBy:
      row.created_by === null
        ? null
        : { tokenId: row.created_by, name: row.created_by_name ?? row.created_by },
    parent: row.parent,
    depth: row.depth,
    limitedUntil: row.limited_until,
    result: toResult(row.result),
    failure: toFailure(row.failure),
    usage: parsed(row.usage),
    openApprovals: Number(row.open_approvals),
    queuedMessages: Number(row.queued_messages),
    openDeliverables: Number(row.open_deliverables),
    progress: parsed(row.progress),
    attention: openAttention(row.attention),
    links: parsed(row.links) ?? [],
    queuePosition: row.queue_position === null ? null : Number(row.queue_position),
    lastSeq: row.last_seq,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    archivedAt: row.archived_at,
  }
}

function parsed<T>(json: string | null): T | null {
  return json === null ? null : (JSON.parse(json) as T)
}

/** Without the secrets in it. */
function shown<T>(json: string | null): T | null {
  return json === null ? null : (JSON.parse(redactJsonLine(json)) as T)
}

function toFailure(json: string | null): Failure | null {
  const failure = parsed<Failure & { resetAt: string | null }>(json)
  return failure && { ...failure, resetAt: failure.resetAt === null ? null : new Date(failure.resetAt) }
}
