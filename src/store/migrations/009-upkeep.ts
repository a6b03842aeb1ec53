// Which worker is sending a notice. Null on a store that only one service uses.
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

export const upkeep: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('outbox').addColumn('claimed_by', 'text').execute()
    await db.schema.alterTable('outbox').addColumn('claimed_until', 'bigint').execute()
  },
}
