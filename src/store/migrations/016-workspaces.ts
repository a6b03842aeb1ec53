// Where tasks work when that is not a folder of the user's: worktrees, clones and empty folders that Drawbridge makes.
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

export const workspaces: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('tasks').addColumn('workspace', 'text').execute()
    await db.schema
      .createTable('workspaces')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('task_id', 'text', (column) => column.notNull())
      .addColumn('worker_id', 'text')
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('folder', 'text', (column) => column.notNull())
      .addColumn('source', 'text')
      .addColumn('repository', 'text')
      .addColumn('branch', 'text')
      .addColumn('owns_branch', 'integer', (column) => column.notNull())
      .addColumn('base_ref', 'text')
      .addColumn('base_commit', 'text')
      .addColumn('seed', 'text')
      .addColumn('filters', 'integer', (column) => column.notNull())
      .addColumn('keep', 'integer', (column) => column.notNull())
      .addColumn('problem', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('made_at', 'bigint')
      .addColumn('removed_at', 'bigint')
      .execute()
    await db.schema.createIndex('workspaces_by_task').on('workspaces').column('task_id').execute()
  },
}
