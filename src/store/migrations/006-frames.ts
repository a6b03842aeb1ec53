// Frames that are too large for the log, whole. Only on PostgreSQL, where every worker must be able to read them; SQLite
// has one service, which keeps them as files in its data folder.
import { type Kysely, PostgresAdapter } from 'kysely'
import type { Migration } from 'kysely/migration'

export const frames: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return
    await db.schema
      .createTable('frames')
      .addColumn('task_id', 'text', (column) => column.notNull())
      .addColumn('seq', 'bigint', (column) => column.notNull())
      .addColumn('packed', 'bytea', (column) => column.notNull())
      .addPrimaryKeyConstraint('frames_pkey', ['task_id', 'seq'])
      .execute()
  },
}
