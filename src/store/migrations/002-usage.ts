// When turns and questions were, and what turns used: kept when their task is gone. What is known of earlier ones is
// taken over: each turn from its message, a task's tokens with its last turn. Of a fork's tokens nothing, because codex
// had counted those of the other thread with them.
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const usage: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await makeTurns(db)
    await makeApprovalTimes(db)
    await takeOverApprovals(db)
    await takeOverTurns(db)
    await takeOverTokens(db)
  },
}

async function makeTurns(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('turns')
    .addColumn('task_id', 'text', (column) => column.notNull())
    .addColumn('turn_id', 'text', (column) => column.notNull())
    .addColumn('thread_id', 'text')
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('ended_at', 'bigint', (column) => column.notNull())
    .addColumn('input_tokens', 'bigint', (column) => column.notNull())
    .addColumn('cached_input_tokens', 'bigint', (column) => column.notNull())
    .addColumn('output_tokens', 'bigint', (column) => column.notNull())
    .addColumn('reasoning_output_tokens', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('turns_key', ['task_id', 'turn_id'])
    .execute()
  await db.schema.createIndex('turns_by_start').on('turns').column('started_at').execute()
  await db.schema.createIndex('turns_by_end').on('turns').column('ended_at').execute()
}

async function makeApprovalTimes(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('approval_times')
    .addColumn('approval_id', 'text', (column) => column.primaryKey())
    .addColumn('asked_at', 'bigint', (column) => column.notNull())
    .addColumn('settled_at', 'bigint')
    .addColumn('outcome', 'text')
    .execute()
  await db.schema.createIndex('approval_times_by_start').on('approval_times').column('asked_at').execute()
  await db.schema
    .createIndex('approval_times_by_end')
    .on('approval_times')
    .columns(['outcome', 'settled_at', 'asked_at'])
    .execute()
}

async function takeOverApprovals(db: Kysely<unknown>): Promise<void> {
  await sql`insert into approval_times (approval_id, asked_at, settled_at, outcome)
    select id, created_at, settled_at, case status when 'answered' then decided_by when 'withdrawn' then status end
    from approvals`.execute(db)
}

/** A message is touched last when its turn ends. How a turn ended is known only of a task's last one. */
async function takeOverTurns(db: Kysely<unknown>): Promise<void> {
  await sql`insert into turns (task_id, turn_id, thread_id, status, started_at, ended_at,
      input_tokens, cached_input_tokens, output_tokens, reasoning_output_tokens)
    select tasks.id, messages.turn_id, tasks.thread_id, 'unknown', min(messages.created_at), max(messages.updated_at),
      0, 0, 0, 0
    from messages join tasks on tasks.id = messages.task_id
    where messages.status = 'delivered' and messages.mode = 'queue' and messages.turn_id is not null
      and messages.turn_id <> coalesce(tasks.turn_id, '')
    group by tasks.id, messages.turn_id, tasks.thread_id`.execute(db)
}

interface LastTurn {
  readonly task_id: string
  readonly turn_id: string
  readonly task_status: string
  readonly usage: string | null
  readonly fork_of: string | null
}

async function takeOverTokens(db: Kysely<unknown>): Promise<void> {
  const last =
    await sql<LastTurn>`select turns.task_id, turns.turn_id, tasks.status as task_status, tasks.usage,
      tasks.fork_of
    from turns join tasks on tasks.id = turns.task_id
    where not exists (select 1 from turns as later where later.task_id = turns.task_id
      and (later.ended_at > turns.ended_at or (later.ended_at = turns.ended_at and later.turn_id > turns.turn_id)))`.execute(
      db,
    )
  for (const { task_id, turn_id, task_status, usage: json, fork_of } of last.rows) {
    const used = fork_of === null ? tokensOf(json) : NOTHING
    await sql`update turns set status = ${STATUSES[task_status] ?? 'unknown'}, input_tokens = ${used.input},
        cached_input_tokens = ${used.cached}, output_tokens = ${used.output},
        reasoning_output_tokens = ${used.reasoning}
      where task_id = ${task_id} and turn_id = ${turn_id}`.execute(db)
  }
}

const STATUSES: Readonly<Record<string, string>> = {
  completed: 'completed',
  idle: 'completed',
  failed: 'failed',
  limited: 'failed',
  interrupted: 'interrupted',
  'timed-out': 'timed-out',
  lost: 'lost',
}

const NOTHING = { input: 0, cached: 0, output: 0, reasoning: 0 }

function tokensOf(json: string | null): typeof NOTHING {
  const used = parsed(json) as Record<string, unknown> | null
  const count = (name: string) => Number(used?.[name]) || 0
  return {
    input: count('inputTokens'),
    cached: count('cachedInputTokens'),
    output: count('outputTokens'),
    reasoning: count('reasoningOutputTokens'),
  }
}

function parsed(json: string | null): unknown {
  try {
    return json === null ? null : JSON.parse(json)
  } catch {
    return null
  }
}
