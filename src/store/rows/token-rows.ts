// Named tokens with limits, good at every door of a store. Times are the database's.
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Db } from '../db.ts'
import { databaseTime } from '../dialect.ts'
import type { TokenRow } from '../schema.ts'

export type StoredToken = Selectable<TokenRow>
export type NewToken = Pick<
  Insertable<TokenRow>,
  'id' | 'name' | 'hash' | 'scope' | 'created_by' | 'expires_at'
>

/** How exactly it is kept when a token was last used. */
const USED_MS = 60_000

/** null: the name is in use. */
export async function insertToken(db: Db, token: NewToken): Promise<StoredToken | null> {
  const row = await db
    .insertInto('tokens')
    .values({ ...token, created_at: databaseTime(db) })
    .onConflict((conflict) => conflict.column('name').where('revoked_at', 'is', null).doNothing())
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}

/** null: there is none, or it is revoked or has expired. */
export async function validToken(
  db: Db,
  by: { readonly hash: string } | { readonly name: string } | { readonly id: string },
): Promise<StoredToken | null> {
  const [column, value] = Object.entries(by)[0] as ['hash' | 'name' | 'id', string]
  const row = await db
    .selectFrom('tokens')
    .selectAll()
    .where(column, '=', value)
    .where('revoked_at', 'is', null)
    .where(({ or, eb }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', databaseTime(db))]))
    .executeTakeFirst()
  return row ?? null
}

/** Newest first, revoked and expired ones included. */
export function allTokens(db: Db): Promise<StoredToken[]> {
  return db.selectFrom('tokens').selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc').execute()
}

/** By its name or its id. null: there is none that is not revoked already. */
export async function revokeToken(
  db: Db,
  named: string,
  { by }: { readonly by: string },
): Promise<StoredToken | null> {
  const row = await db
    .updateTable('tokens')
    .set({ revoked_at: databaseTime(db), revoked_by: by })
    .where('revoked_at', 'is', null)
    .where(({ or, eb }) => or([eb('id', '=', named), eb('name', '=', named)]))
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}

export async function noteTokenUse(db: Db, id: string): Promise<void> {
  const now = databaseTime(db)
  await db
    .updateTable('tokens')
    .set({ used_at: now })
    .where('id', '=', id)
    .where(({ or, eb }) =>
      or([eb('used_at', 'is', null), eb('used_at', '<', sql<number>`${now} - ${USED_MS}`)]),
    )
    .execute()
}
