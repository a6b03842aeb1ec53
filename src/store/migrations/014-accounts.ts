// Codex logins that tasks borrow, sealed, each with a lease; and which of them a task uses.
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

export const accounts: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('accounts')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('pools', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('state_reason', 'text')
      .addColumn('login', 'text', (column) => column.notNull())
      .addColumn('login_version', 'integer', (column) => column.notNull())
      .addColumn('identity', 'text')
      .addColumn('lease_holder', 'text')
      .addColumn('lease_generation', 'integer', (column) => column.notNull())
      .addColumn('lease_until', 'bigint')
      .addColumn('used_at', 'bigint')
      .addColumn('limited_until', 'bigint')
      .addColumn('facts', 'text')
      .addColumn('reserve_percent', 'integer', (column) => column.notNull())
      .addColumn('on_limit', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('created_by', 'text', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('accounts_by_name').unique().on('accounts').column('name').execute()
    const text = (name: string) => db.schema.alterTable('tasks').addColumn(name, 'text').execute()
    await text('account')
    await text('account_id')
    await text('on_limit')
  },
}
