// What lists show of a long answer, so that they need not read the whole of it.
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** As it was when this was released. */
const SHORT_CHARS = 2_000

export const shortResults: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('tasks').addColumn('result_short', 'text').execute()
    const long = await sql<{
      id: string
    }>`select id from tasks where length(result) > ${SHORT_CHARS}`.execute(db)
    for (const { id } of long.rows) {
      const { rows } = await sql<{ result: string }>`select result from tasks where id = ${id}`.execute(db)
      const short = shortOf(rows[0]!.result)
      if (short !== null) await sql`update tasks set result_short = ${short} where id = ${id}`.execute(db)
    }
  },
}

function shortOf(json: string): string | null {
  const { turnId, text } = JSON.parse(json) as { turnId: string; text: string }
  if (text.length <= SHORT_CHARS) return null
  const cut = text.slice(0, SHORT_CHARS)
  const whole = cut.isWellFormed() ? cut : cut.slice(0, -1)
  return JSON.stringify({ turnId, text: whole, output: null, isCut: true })
}
