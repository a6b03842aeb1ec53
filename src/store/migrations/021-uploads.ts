// Files that were given to tasks.
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

export const uploads: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('uploads')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('task_id', 'text', (column) => column.notNull().references('tasks.id').onDelete('cascade'))
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('path', 'text', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('sha256', 'text', (column) => column.notNull())
      .addColumn('actor', 'text', (column) => column.notNull())
      .addColumn('message_id', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('uploads_by_task').on('uploads').column('task_id').execute()
  },
}
