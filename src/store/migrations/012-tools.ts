// The tools that a task was given, by the names they have in the settings.
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

export const tools: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .alterTable('tasks')
      .addColumn('tools', 'text', (column) => column.notNull().defaultTo('[]'))
      .execute()
  },
}
