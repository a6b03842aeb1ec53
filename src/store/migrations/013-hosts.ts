// Other machines that tasks run on, and which of them a task runs on.
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

export const hosts: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('tasks').addColumn('host', 'text').execute()
    await db.schema
      .createTable('hosts')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('destination', 'text', (column) => column.notNull())
      .addColumn('options', 'text', (column) => column.notNull())
      .addColumn('mode', 'text', (column) => column.notNull())
      .addColumn('labels', 'text', (column) => column.notNull())
      .addColumn('added_by', 'text', (column) => column.notNull())
      .addColumn('added_at', 'bigint', (column) => column.notNull())
      .execute()
  },
}
