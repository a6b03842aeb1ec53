// What several workers need to know of each other: where they are, what they ask of each other, what becomes of a task
// whose worker is lost.
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

export const fleet: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const workers = () => db.schema.alterTable('workers')
    await workers()
      .addColumn('machine', 'text', (column) => column.notNull().defaultTo(''))
      .execute()
    await workers().addColumn('url', 'text').execute()
    await workers().addColumn('public_key', 'text').execute()
    await workers()
      .addColumn('working', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
    await db.schema
      .alterTable('tasks')
      .addColumn('on_lost', 'text', (column) => column.notNull().defaultTo('wait'))
      .execute()
    await db.schema.alterTable('tasks').addColumn('orphan_turn', 'text').execute()
    await db.schema
      .createTable('commands')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('worker_id', 'text', (column) => column.notNull())
      .addColumn('boot', 'text', (column) => column.notNull())
      .addColumn('sent_by', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('task_id', 'text')
      .addColumn('sealed', 'text')
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('outcome', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createIndex('commands_by_worker')
      .on('commands')
      .columns(['worker_id', 'state', 'created_at'])
      .execute()
    await db.schema
      .createTable('account_holds')
      .addColumn('account', 'text', (column) => column.primaryKey().notNull())
      .addColumn('until', 'bigint', (column) => column.notNull())
      .addColumn('why', 'text', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('commands_by_time').on('commands').columns(['created_at']).execute()
  },
}
