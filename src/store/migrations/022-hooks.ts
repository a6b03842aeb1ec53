// Hooks of the operator's: each run is on record before it begins, so that a kill does not make it run twice.
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

export const hooks: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('hook_runs')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('task_id', 'text', (column) => column.notNull().references('tasks.id').onDelete('cascade'))
      .addColumn('worker_id', 'text')
      .addColumn('hook', 'text', (column) => column.notNull())
      .addColumn('event', 'text', (column) => column.notNull())
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('attempt', 'integer', (column) => column.notNull())
      .addColumn('facts', 'text', (column) => column.notNull())
      .addColumn('process', 'text')
      .addColumn('problem', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('started_at', 'bigint')
      .addColumn('ended_at', 'bigint')
      .execute()
    await db.schema
      .createIndex('hook_runs_once')
      .unique()
      .on('hook_runs')
      .columns(['task_id', 'event', 'subject', 'hook'])
      .execute()
    await db.schema.createIndex('hook_runs_by_state').on('hook_runs').column('state').execute()
  },
}
