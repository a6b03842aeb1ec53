// Hosts that people have added.
import type { Selectable } from 'kysely'
import type { Db } from '../db.ts'
import type { HostRow } from '../host-schema.ts'

export type StoredHost = Selectable<HostRow>

/** False: there is one of this name. */
export async function insertHost(db: Db, row: StoredHost): Promise<boolean> {
  const made = await db
    .insertInto('hosts')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning('name')
    .executeTakeFirst()
  return made !== undefined
}

export function hostRows(db: Db): Promise<StoredHost[]> {
  return db.selectFrom('hosts').selectAll().orderBy('name').execute()
}

export function hostRow(db: Db, name: string): Promise<StoredHost | undefined> {
  return db.selectFrom('hosts').selectAll().where('name', '=', name).executeTakeFirst()
}

export async function deleteHost(db: Db, name: string): Promise<boolean> {
  const gone = await db.deleteFrom('hosts').where('name', '=', name).returning('name').executeTakeFirst()
  return gone !== undefined
}
