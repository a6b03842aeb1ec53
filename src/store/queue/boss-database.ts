// How pg-boss reaches the database: through connections of ours, so that the rules for addresses, passwords and TLS are
// the same for it.
import { CompiledQuery } from 'kysely'
import type { Pool } from 'pg'
import type { Db as BossDatabase } from 'pg-boss'
import type { Db } from '../db.ts'

/** Some of its statements are several in one text, which Kysely would not return the rows of. */
export function ofPool(pool: Pool): BossDatabase {
  return { executeSql: (text, values) => pool.query(text, values) }
}

export function ofTransaction(db: Db): BossDatabase {
  return {
    executeSql: async (text, values = []) => {
      const { rows } = await db.executeQuery(CompiledQuery.raw(text, values))
      return { rows }
    },
  }
}
