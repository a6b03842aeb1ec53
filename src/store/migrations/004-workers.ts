// Workers that share a store, and which of them owns a task.
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

export const workers: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('workers')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('boot', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('version', 'text', (column) => column.notNull())
      .addColumn('labels', 'text', (column) => column.notNull())
      .addColumn('capacity', 'integer', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('started_at', 'bigint', (column) => column.notNull())
      .addColumn('beat_at', 'bigint', (column) => column.notNull())
      .addColumn('lease_until', 'bigint', (column) => column.notNull())
      .addColumn('commits', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.alterTable('tasks').addColumn('worker_id', 'text').execute()
    await db.schema.alterTable('tasks').addColumn('lease_boot', 'text').execute()
    await db.schema
      .alterTable('tasks')
      .addColumn('lease_generation', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
    await db.schema.alterTable('tasks').addColumn('wants', 'text').execute()
    await db.schema.createIndex('tasks_by_worker').on('tasks').columns(['worker_id', 'lease_boot']).execute()
  },
}
