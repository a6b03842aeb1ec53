// Snapshots of tasks: their workspace and their thread.
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

export const snapshots: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const column of ['snapshots', 'restored_from', 'model_notice'])
      await db.schema.alterTable('tasks').addColumn(column, 'text').execute()
    await db.schema
      .createTable('snapshots')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('task_id', 'text', (column) => column.notNull())
      .addColumn('worker_id', 'text')
      .addColumn('folder', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('cause', 'text', (column) => column.notNull())
      .addColumn('turn_count', 'integer', (column) => column.notNull())
      .addColumn('is_imported', 'integer', (column) => column.notNull())
      .addColumn('is_sealed', 'integer', (column) => column.notNull())
      .addColumn('facts', 'text')
      .addColumn('stored_bytes', 'bigint')
      .addColumn('problem', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('snapshots_by_task').on('snapshots').column('task_id').execute()
  },
}
