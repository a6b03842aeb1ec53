// A workspace may be on a host.
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

export const workspaceHosts: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('workspaces').addColumn('host', 'text').execute()
  },
}
