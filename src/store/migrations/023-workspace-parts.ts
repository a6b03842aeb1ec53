// A task may work in several repositories: each has a workspace of its own, and belongs to the first.
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

export const workspaceParts: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('workspaces').addColumn('part_of', 'text').execute()
  },
}
