// Who is let in at every door of a shared store. Only digests are kept: nothing in these rows lets anyone in.
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

export const doors: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('door_tokens')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('worker_id', 'text')
      .addColumn('hash', 'text', (column) => column.notNull())
      .addColumn('name', 'text')
      .addColumn('scopes', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('seen_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createIndex('door_tokens_by_hash')
      .unique()
      .on('door_tokens')
      .columns(['hash', 'worker_id'])
      .execute()
    await db.schema
      .createTable('door_logins')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('token_id', 'text', (column) => column.notNull())
      .addColumn('secret_hash', 'text', (column) => column.notNull())
      .addColumn('user_agent', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('door_codes')
      .addColumn('hash', 'text', (column) => column.primaryKey().notNull())
      .addColumn('token_id', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute()
  },
}
