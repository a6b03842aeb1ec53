// What a pool of accounts may do, where a person has said so. Which accounts are in it, the accounts say.
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

export const accountPools: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('account_pools')
      .addColumn('name', 'text', (column) => column.primaryKey().notNull())
      .addColumn('on_limit', 'text')
      .addColumn('billing', 'text', (column) => column.notNull())
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .addColumn('changed_by', 'text', (column) => column.notNull())
      .execute()
  },
}
