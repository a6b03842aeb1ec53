// What the model hands to people and programs while it works: files, its progress, what people should see, links, messages.
import { type Kysely, PostgresAdapter } from 'kysely'
import type { Migration } from 'kysely/migration'

export const deliverables: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const column of ['progress', 'attention', 'links'] as const)
      await db.schema.alterTable('tasks').addColumn(column, 'text').execute()
    await makeDeliverables(db)
    await makeCallerMessages(db)
    if (db.getExecutor().adapter instanceof PostgresAdapter) await makeParts(db)
  },
}

async function makeDeliverables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('deliverables')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('task_id', 'text', (column) => column.notNull().references('tasks.id').onDelete('cascade'))
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('turn_id', 'text')
    .addColumn('path', 'text', (column) => column.notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('note', 'text')
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addColumn('sha256', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('words', 'text')
    .addColumn('actor', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('answered_at', 'bigint')
    .addUniqueConstraint('deliverables_numbered', ['task_id', 'number'])
    .execute()
}

async function makeCallerMessages(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('caller_messages')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('task_id', 'text', (column) => column.notNull().references('tasks.id').onDelete('cascade'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('answer', 'text')
    .addColumn('actor', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('answered_at', 'bigint')
    .execute()
  await db.schema
    .createIndex('caller_messages_by_task')
    .on('caller_messages')
    .columns(['task_id', 'created_at'])
    .execute()
}

/** The bytes, where every worker must be able to read them. SQLite has one service, which keeps files in its data folder. */
async function makeParts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('deliverable_parts')
    .addColumn('deliverable_id', 'text', (column) => column.notNull())
    .addColumn('part', 'integer', (column) => column.notNull())
    .addColumn('task_id', 'text', (column) => column.notNull())
    .addColumn('bytes', 'bytea', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('deliverable_parts_pkey', ['deliverable_id', 'part'])
    .execute()
  await db.schema.createIndex('deliverable_parts_by_task').on('deliverable_parts').column('task_id').execute()
}
