// Where a database continues to number rows. An id is never given twice, also when its row has been deleted.
import { sql } from 'kysely'
import type { Db } from '../db.ts'
import { isPostgres } from '../dialect.ts'
import type { Table } from './tables.ts'

/** The highest id that was ever given; 0 when none was. */
export async function lastGenerated(db: Db, table: Table): Promise<number> {
  if (table.generated === null) return 0
  const ofRows = await sql<{ last: number | null }>`select max(${sql.ref(table.generated)}) as last
    from ${sql.table(table.name)}`.execute(db)
  const counted = isPostgres(db)
    ? await sql<{
        last: number | null
      }>`select pg_sequence_last_value(${sequenceOf(table)}::regclass) as last`.execute(db)
    : await sql<{ last: number | null }>`select seq as last from sqlite_sequence
        where name = ${table.name}`.execute(db)
  return Math.max(ofRows.rows[0]?.last ?? 0, counted.rows[0]?.last ?? 0)
}

/** The next id will be higher than `last`. Undone with the transaction, which `setval` would not be. */
export async function continueAfter(db: Db, table: Table, last: number): Promise<void> {
  if (table.generated === null || last === 0) return
  if (isPostgres(db)) {
    const { rows } = await sql<{ name: string }>`select ${sequenceOf(table)} as name`.execute(db)
    await sql`alter sequence ${sql.raw(rows[0]!.name)} restart with ${sql.lit(BigInt(last) + 1n)}`.execute(db)
    return
  }
  await sql`delete from sqlite_sequence where name = ${table.name}`.execute(db)
  await sql`insert into sqlite_sequence (name, seq) values (${table.name}, ${last})`.execute(db)
}

function sequenceOf({ name, generated }: Table) {
  return sql<string>`pg_get_serial_sequence(quote_ident(${name}), ${generated})`
}
