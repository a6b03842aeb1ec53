// Named tokens with what they may do, who started a task with which of them, and tasks that a task started.
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const callers: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    // Not in `door_tokens`: a service of an earlier version would take every row there for a token without limits.
    await db.schema
      .createTable('tokens')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .addColumn('scope', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('created_by', 'text', (column) => column.notNull())
      .addColumn('used_at', 'bigint')
      .addColumn('expires_at', 'bigint')
      .addColumn('revoked_at', 'bigint')
      .addColumn('revoked_by', 'text')
      .execute()
    await db.schema.createIndex('tokens_by_hash').unique().on('tokens').column('hash').execute()
    // A name is free again once its token is revoked.
    await sql`create unique index tokens_by_name on tokens (name) where revoked_at is null`.execute(db)
    const text = (name: string) => db.schema.alterTable('tasks').addColumn(name, 'text').execute()
    await text('created_by')
    await text('created_by_name')
    await text('parent')
    await text('within')
    await db.schema
      .alterTable('tasks')
      .addColumn('depth', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
    await db.schema.createIndex('tasks_by_creator').on('tasks').column('created_by').execute()
    await db.schema.createIndex('tasks_by_parent').on('tasks').column('parent').execute()
  },
}
