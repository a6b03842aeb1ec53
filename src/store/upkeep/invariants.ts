// What must hold of the rows beyond what the tables themselves ask for.
import { sql } from 'kysely'
import type { Db } from '../db.ts'
import { isPostgres } from '../dialect.ts'
import { TASK_STATUSES } from '../task-statuses.ts'

export interface Invariant {
  /** Ids of what breaks it. */
  readonly find: (db: Db) => Promise<string[]>
  readonly says: (id: string) => string
}

const MOST = 100
const PAGE = 500

export const INVARIANTS: readonly Invariant[] = [
  {
    find: async (db) => {
      const rows = db
        .selectFrom('tasks')
        .select('tasks.id')
        .where('tasks.last_seq', '<', (eb) =>
          eb
            .selectFrom('events')
            .select(({ fn }) => fn.max('events.seq').as('seq'))
            .whereRef('events.task_id', '=', 'tasks.id'),
        )
      return ids(await rows.limit(MOST).execute())
    },
    says: (id) => `task ${id} has events beyond its last sequence`,
  },
  {
    find: async (db) => {
      const rows = db.selectFrom('tasks').select('id').where('status', 'not in', TASK_STATUSES)
      return ids(await rows.limit(MOST).execute())
    },
    says: (id) => `task ${id} has a status that does not exist`,
  },
  {
    find: async (db) => {
      const rows = db
        .selectFrom('events')
        .select('task_id as id')
        .distinct()
        .where('task_id', 'not in', (eb) => eb.selectFrom('tasks').select('tasks.id'))
      return ids(await rows.limit(MOST).execute())
    },
    says: (id) => `events of task ${id} are left, the task is not; the next retention run removes them`,
  },
  {
    find: async (db) => {
      const rows = db
        .selectFrom('approvals')
        .select('id')
        .where((eb) =>
          eb.or([
            eb.and([eb('status', '=', 'pending'), eb('settled_at', 'is not', null)]),
            eb.and([eb('status', '!=', 'pending'), eb('settled_at', 'is', null)]),
          ]),
        )
      return ids(await rows.limit(MOST).execute())
    },
    says: (id) => `approval ${id} is neither open nor settled`,
  },
  {
    find: async (db) => {
      const rows = db
        .selectFrom('approvals')
        .select('id')
        .where('status', '=', 'answered')
        .where('id', 'not in', (eb) => eb.selectFrom('audit').select('approval_id'))
      return ids(await rows.limit(MOST).execute())
    },
    says: (id) => `approval ${id} was answered, but the audit does not say so`,
  },
  {
    find: (db) => (isPostgres(db) ? notJsonByReading(db) : notJsonBySqlite(db)),
    says: (id) => `event ${id} is not JSON`,
  },
]

async function notJsonBySqlite(db: Db): Promise<string[]> {
  const rows = db
    .selectFrom('events')
    .select((eb) => sql<string>`${eb.ref('task_id')} || ' ' || ${eb.ref('seq')}`.as('id'))
    .where(sql<boolean>`not json_valid(frame)`)
  return ids(await rows.limit(MOST).execute())
}

/** PostgreSQL can tell only from 16 on. */
async function notJsonByReading(db: Db): Promise<string[]> {
  const found: string[] = []
  let last = { task_id: '', seq: 0 }
  for (;;) {
    const rows = await db
      .selectFrom('events')
      .select(['task_id', 'seq', 'frame'])
      .where(({ eb, refTuple, tuple }) => eb(refTuple('task_id', 'seq'), '>', tuple(last.task_id, last.seq)))
      .orderBy('task_id')
      .orderBy('seq')
      .limit(PAGE)
      .execute()
    for (const { task_id, seq, frame } of rows) if (!isJson(frame)) found.push(`${task_id} ${seq}`)
    if (rows.length < PAGE || found.length >= MOST) return found.slice(0, MOST)
    last = rows.at(-1)!
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function ids(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id)
}
