// What a pool of accounts may do, where a person has said so. Which accounts are in it, the accounts say.
// No login is kept twice, whichever worker it is added at.
import { type Kysely, sql } from 'kysely'
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
    // Two workers could keep one login at the same time until now: the later row says no longer whose it is.
    await sql`
      UPDATE accounts SET identity = NULL WHERE EXISTS (
        SELECT 1 FROM accounts AS other WHERE other.identity = accounts.identity
        AND (other.created_at < accounts.created_at
          OR (other.created_at = accounts.created_at AND other.id < accounts.id)))`.execute(db)
    await db.schema.createIndex('accounts_by_identity').unique().on('accounts').column('identity').execute()
  },
}
