// Tokens, browser logins and login codes that are good at every door of a shared store. All times are the database's.
// Whoever changes several tables does it in this order, so that two never wait for each other: tokens, codes, logins.
import { type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import type { Db } from '../db.ts'
import { databaseTime, isPostgres } from '../dialect.ts'
import type { DoorLoginRow } from '../schema.ts'

type StoredDoorLogin = Selectable<DoorLoginRow>

const MAX_LOGINS = 200
const MAX_CODES = 100
/** At once; more than there can be. SQLite has no offset without a limit. */
const MAX_REMOVED = 1_000

/** `hash` null: the worker has no token. `newId` becomes the row's id if there is no row yet. */
interface PublishToken {
  readonly workerId: string
  readonly hash: string | null
  readonly newId: string
}

/**
 * Makes this the only token of the worker. Any other it had is removed, with its logins and codes. Returns the id of the
 * row, which stays the same as long as the token does; null without a token.
 */
export async function publishDoorToken(
  db: Db,
  { workerId, hash, newId }: PublishToken,
): Promise<string | null> {
  return db.transaction().execute(async (trx) => {
    let others = trx.deleteFrom('door_tokens').where('worker_id', '=', workerId)
    if (hash !== null) others = others.where('hash', '!=', hash)
    const removed = await others.returning('id').execute()
    await removeMadeUnder(
      trx,
      removed.map(({ id }) => id),
    )
    if (hash === null) return null
    const now = databaseTime(db)
    const { id } = await trx
      .insertInto('door_tokens')
      .values({ id: newId, worker_id: workerId, hash, created_at: now, seen_at: now })
      .onConflict((conflict) => conflict.columns(['hash', 'worker_id']).doUpdateSet({ seen_at: now }))
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  })
}

/** A token of another worker, or of none. What this worker's own is, its data folder says. */
export async function doorTokenByHash(
  db: Db,
  { hash, exceptWorkerId }: { hash: string; exceptWorkerId: string },
): Promise<{ id: string; hash: string } | null> {
  const row = await db
    .selectFrom('door_tokens')
    .select(['id', 'hash'])
    .where('hash', '=', hash)
    .where(({ or, eb }) => or([eb('worker_id', 'is', null), eb('worker_id', '!=', exceptWorkerId)]))
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

/** Returns when it expires. */
export async function insertDoorCode(
  db: Db,
  { hash, tokenId, validMs }: { hash: string; tokenId: string; validMs: number },
): Promise<number> {
  const now = databaseTime(db)
  await db.deleteFrom('door_codes').where('expires_at', '<=', now).execute()
  const { expires_at } = await db
    .insertInto('door_codes')
    .values({ hash, token_id: tokenId, expires_at: sql<number>`${now} + ${validMs}` })
    .returning('expires_at')
    .executeTakeFirstOrThrow()
  const old = db
    .selectFrom('door_codes')
    .select('hash')
    .orderBy('expires_at', 'desc')
    .orderBy('hash')
    .limit(MAX_REMOVED)
    .offset(MAX_CODES)
  const free = unlocked(db, db.selectFrom('door_codes').select('hash').where('hash', 'in', old))
  await db.deleteFrom('door_codes').where('hash', 'in', free).execute()
  return expires_at
}

interface NewDoorLogin extends Pick<DoorLoginRow, 'id' | 'secret_hash' | 'user_agent'> {
  readonly validMs: number
}

/** Uses a code up and lets a browser in, both or neither. False: the code was used, has expired or never was. */
export async function redeemDoorCode(
  db: Db,
  hash: string,
  { validMs, ...login }: NewDoorLogin,
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const now = databaseTime(db)
    // The row goes to one of those who ask at once; the others wait for its transaction and find none.
    const code = await trx
      .deleteFrom('door_codes')
      .where('hash', '=', hash)
      .where('expires_at', '>', now)
      .where('token_id', 'in', trx.selectFrom('door_tokens').select('id'))
      .returning('token_id')
      .executeTakeFirst()
    if (!code) return false
    const times = { created_at: now, expires_at: sql<number>`${now} + ${validMs}` }
    await trx
      .insertInto('door_logins')
      .values({ ...login, ...times, token_id: code.token_id })
      .execute()
    await removeOldLogins(trx)
    return true
  })
}

/** null: there is none, it has expired, or its token is gone. */
export async function doorLogin(db: Db, id: string): Promise<StoredDoorLogin | null> {
  return (await validLogins(db).where('door_logins.id', '=', id).executeTakeFirst()) ?? null
}

/** Those that are still let in, oldest first. */
export async function doorLogins(db: Db): Promise<StoredDoorLogin[]> {
  return validLogins(db).orderBy('door_logins.created_at').orderBy('door_logins.id').execute()
}

/** Whether there was one. */
export async function removeDoorLogin(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('door_logins')
    .where('id', '=', id)
    .where('expires_at', '>', databaseTime(db))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/**
 * Removes tokens whose worker has not been there for this long, with what was made under them, and what has expired.
 * Returns how many tokens. Any worker may do it, at any time.
 */
export async function sweepDoors(db: Db, { unseenMs }: { unseenMs: number }): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const now = databaseTime(db)
    const removed = await trx
      .deleteFrom('door_tokens')
      .where('worker_id', 'is not', null)
      .where('seen_at', '<', sql<number>`${now} - ${unseenMs}`)
      .returning('id')
      .execute()
    await trx.deleteFrom('door_codes').where('expires_at', '<=', now).execute()
    await removeMadeUnder(
      trx,
      removed.map(({ id }) => id),
    )
    await removeOldLogins(trx)
    return removed.length
  })
}

function validLogins(db: Db) {
  return db
    .selectFrom('door_logins')
    .innerJoin('door_tokens', 'door_tokens.id', 'door_logins.token_id')
    .selectAll('door_logins')
    .where('door_logins.expires_at', '>', databaseTime(db))
}

async function removeMadeUnder(trx: Db, tokenIds: readonly string[]): Promise<void> {
  if (tokenIds.length === 0) return
  await trx.deleteFrom('door_codes').where('token_id', 'in', tokenIds).execute()
  await trx.deleteFrom('door_logins').where('token_id', 'in', tokenIds).execute()
}

async function removeOldLogins(trx: Db): Promise<void> {
  const old = trx
    .selectFrom('door_logins')
    .select('id')
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(MAX_REMOVED)
    .offset(MAX_LOGINS)
  const logins = trx.selectFrom('door_logins').select('id')
  const free = unlocked(
    trx,
    logins.where(({ or, eb }) => or([eb('expires_at', '<=', databaseTime(trx)), eb('id', 'in', old)])),
  )
  await trx.deleteFrom('door_logins').where('id', 'in', free).execute()
}

/** Rows that another transaction has locked are left to it: whoever tidies up never waits. */
function unlocked<Query extends SelectQueryBuilder<never, never, unknown>>(db: Db, rows: Query): Query {
  return isPostgres(db) ? (rows.forUpdate().skipLocked() as Query) : rows
}
