// Which of our own events were stored lately, by whom: so that workers find those of the others. Stays empty on SQLite.
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

export const feed: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('feed')
      .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement().notNull())
      .addColumn('xact', 'bigint', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('origin', 'text', (column) => column.notNull())
      .addColumn('task_id', 'text', (column) => column.notNull())
      .addColumn('seq', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('feed_by_xact').on('feed').column('xact').execute()
  },
}
