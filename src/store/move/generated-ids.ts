// Where a database continues to number rows. An id is never given twice, also when its row has been deleted.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db.ts'
import { isPostgres } from '../dialect.ts'
import type { Table } from './tables.ts'

/** The highest id that was ever given; 0 when none was. */
export async function lastGenerated(db: Db, table: Table): Promise<number> {
  if (table.generated === null) return 0
  const ofRows = await sql<{ last: number | null }>`select max(${sql.ref(table.generated)}) as last
    from ${sql.table(table.name)}`.execute(db)
  const counted = isPostgres(db) ? await countedInPostgres(db, table) : await countedInSqlite(db, table)
  return Math.max(ofRows.rows[0]?.last ?? 0, counted)
}

/** Not `pg_sequence_last_value`: after a restart it is null until the first id is given. */
async function countedInPostgres(db: Db, table: Table): Promise<number> {
  const { rows } = await sql<{ last: number }>`
    select case when is_called then last_value else last_value - 1 end as last
    from ${await sequenceOf(db, table)}`.execute(db)
  return rows[0]!.last
}

async function countedInSqlite(db: Db, table: Table): Promise<number> {
  const { rows } = await sql<{ last: number }>`select seq as last from sqlite_sequence
    where name = ${table.name}`.execute(db)
  return rows[0]?.last ?? 0
}

/** The next id will be higher than `last`. Undone with the transaction, which `setval` would not be. */
export async function continueAfter(db: Db, table: Table, last: number): Promise<void> {
  if (table.generated === null || last === 0) return
  if (isPostgres(db)) {
    const next = sql.lit(BigInt(last) + 1n)
    await sql`alter sequence ${await sequenceOf(db, table)} restart with ${next}`.execute(db)
    return
  }
  await sql`delete from sqlite_sequence where name = ${table.name}`.execute(db)
  await sql`insert into sqlite_sequence (name, seq) values (${table.name}, ${last})`.execute(db)
}

/** Its name, qualified and quoted. */
async function sequenceOf(db: Db, { name, generated }: Table): Promise<RawBuilder<unknown>> {
  const { rows } = await sql<{ name: string }>`
    select pg_get_serial_sequence(quote_ident(${name}), ${generated}) as name`.execute(db)
  return sql.raw(rows[0]!.name)
}
