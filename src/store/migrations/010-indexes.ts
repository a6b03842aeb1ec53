// For what is asked often and must not get slower with every task that has ended: the order of the queue, what a worker
// has not ended, how many tasks are in which status.
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

export const indexes: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.createIndex('tasks_by_queue').on('tasks').columns(['status', 'queued_at', 'id']).execute()
    await db.schema
      .createIndex('tasks_by_worker_end')
      .on('tasks')
      .columns(['worker_id', 'ended_at'])
      .execute()
    await db.schema.createIndex('tasks_by_archive').on('tasks').columns(['archived_at', 'status']).execute()
  },
}
