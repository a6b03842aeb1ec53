// What must hold of the rows beyond what the tables themselves ask for. `db check` reports rows that break a rule, and a
// repair leaves them out.
import { TASK_STATUSES } from '../task-statuses.ts'

export interface Invariant {
  readonly table: 'tasks' | 'events' | 'approvals'
  /** SQL for the name of a row. */
  readonly id: string
  /** SQL condition on a row: true when it breaks the rule. */
  readonly broken: string
  /** The condition is in SQLite's words. */
  readonly isSqliteOnly?: true
  readonly says: (id: string) => string
}

export const INVARIANTS: readonly Invariant[] = [
  {
    table: 'tasks',
    id: 'id',
    broken: 'last_seq < (select max(seq) from events where task_id = tasks.id)',
    says: (id) => `task ${id} has events beyond its last sequence`,
  },
  {
    table: 'tasks',
    id: 'id',
    broken: `status not in (${TASK_STATUSES.map((status) => `'${status}'`).join(', ')})`,
    says: (id) => `task ${id} has a status that does not exist`,
  },
  {
    table: 'events',
    id: 'task_id',
    broken: 'task_id not in (select id from tasks)',
    says: (id) => `events of task ${id} are left, the task is not; the next retention run removes them`,
  },
  {
    table: 'approvals',
    id: 'id',
    broken: `(status = 'pending') <> (settled_at is null)`,
    says: (id) => `approval ${id} is neither open nor settled`,
  },
  {
    table: 'approvals',
    id: 'id',
    broken: `status = 'answered' and id not in (select approval_id from audit)`,
    says: (id) => `approval ${id} was answered, but the audit does not say so`,
  },
  {
    table: 'events',
    id: `task_id || ' ' || seq`,
    broken: 'not json_valid(frame)',
    isSqliteOnly: true,
    says: (id) => `event ${id} is not JSON`,
  },
]
