// Codex logins that tasks borrow. One worker at a time has the lease of an account, and only with it a login is saved.
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { AccountRow } from '../account-schema.ts'
import type { Db } from '../db.ts'
import { databaseTime } from '../dialect.ts'

export type StoredAccount = Selectable<AccountRow>
export type NewAccount = Pick<
  Insertable<AccountRow>,
  'id' | 'name' | 'kind' | 'pools' | 'login' | 'identity' | 'reserve_percent' | 'on_limit' | 'created_by'
>

/** The lease of one account, as its holder knows it. */
export interface OwnLease {
  readonly id: string
  readonly holder: string
  readonly generation: number
}

/** A lease that was had or renewed: the row, and how long it lasts from now on. */
export interface Lease {
  readonly account: StoredAccount
  readonly lastsMs: number
}

/** null: the name is in use, or the login is kept already. */
export async function insertAccount(db: Db, account: NewAccount): Promise<StoredAccount | null> {
  const row = await db
    .insertInto('accounts')
    .values({
      ...account,
      state: 'active',
      login_version: 1,
      lease_generation: 0,
      created_at: databaseTime(db),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}

export function accountRows(db: Db): Promise<StoredAccount[]> {
  return db.selectFrom('accounts').selectAll().orderBy('name').execute()
}

export function accountRow(
  db: Db,
  by: { readonly id: string } | { readonly name: string },
): Promise<StoredAccount | undefined> {
  const [column, value] = Object.entries(by)[0] as ['id' | 'name', string]
  return db.selectFrom('accounts').selectAll().where(column, '=', value).executeTakeFirst()
}

type AccountUpdate = Pick<
  Updateable<AccountRow>,
  | 'name'
  | 'pools'
  | 'state'
  | 'state_reason'
  | 'used_at'
  | 'limited_until'
  | 'facts'
  | 'reserve_percent'
  | 'on_limit'
>

/** Everything that is not of its login or its lease. Rejects when a new name is in use. `version`: only while its login is that one; null: it is another. */
export async function updateAccount(
  db: Db,
  id: string,
  columns: AccountUpdate,
  { version }: { readonly version?: number | undefined } = {},
): Promise<StoredAccount | null> {
  if (Object.keys(columns).length === 0) return (await accountRow(db, { id })) ?? null
  const one = db.updateTable('accounts').set(columns).where('id', '=', id).returningAll()
  const rows = version === undefined ? one : one.where('login_version', '=', version)
  return (await rows.executeTakeFirst()) ?? null
}

/** Takes a lease that is free, has run out, or is the worker's own from before; the generation grows. null: another has it. */
export async function borrowAccount(
  db: Db,
  { id, holder }: { readonly id: string; readonly holder: string },
  { leaseMs }: { readonly leaseMs: number },
): Promise<Lease | null> {
  const now = databaseTime(db)
  const row = await db
    .updateTable('accounts')
    .set({
      lease_holder: holder,
      lease_generation: sql<number>`lease_generation + 1`,
      lease_until: sql<number>`${now} + ${leaseMs}`,
    })
    .where('id', '=', id)
    .where(({ or, eb }) =>
      or([eb('lease_holder', 'is', null), eb('lease_holder', '=', holder), eb('lease_until', '<', now)]),
    )
    .returningAll()
    .executeTakeFirst()
  return row ? { account: row, lastsMs: leaseMs } : null
}

/** null: it was lost. One that has run out and that nobody took is still its holder's. */
export async function renewAccount(
  db: Db,
  { id, holder, generation }: OwnLease,
  { leaseMs }: { readonly leaseMs: number },
): Promise<Lease | null> {
  const row = await db
    .updateTable('accounts')
    .set({ lease_until: sql<number>`${databaseTime(db)} + ${leaseMs}` })
    .where('id', '=', id)
    .where('lease_holder', '=', holder)
    .where('lease_generation', '=', generation)
    .returningAll()
    .executeTakeFirst()
  return row ? { account: row, lastsMs: leaseMs } : null
}

/** False: it had been lost before. */
export async function returnAccount(db: Db, { id, holder, generation }: OwnLease): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('accounts')
    .set({ lease_holder: null, lease_until: null })
    .where('id', '=', id)
    .where('lease_holder', '=', holder)
    .where('lease_generation', '=', generation)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Stores a login that codex has renewed, over the version it came from. False: the lease, or that version, is gone. */
export async function saveLogin(
  db: Db,
  { id, holder, generation }: OwnLease,
  { login, version }: { readonly login: string; readonly version: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('accounts')
    .set({ login, login_version: version + 1 })
    .where('id', '=', id)
    .where('lease_holder', '=', holder)
    .where('lease_generation', '=', generation)
    .where('login_version', '=', version)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** By a person, who has logged in anew. Only while nobody but this holder has its lease. False: another has it. */
export async function replaceLogin(
  db: Db,
  { id, holder, version }: { readonly id: string; readonly holder: string; readonly version: number },
  columns: Pick<StoredAccount, 'login' | 'kind' | 'identity'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('accounts')
    .set({
      ...columns,
      login_version: version + 1,
      state: 'active',
      state_reason: null,
      facts: null,
      limited_until: null,
      // Who held the old one may not save it over this one.
      lease_generation: sql<number>`lease_generation + 1`,
      lease_holder: null,
      lease_until: null,
    })
    .where('id', '=', id)
    .where('login_version', '=', version)
    .where(({ or, eb }) =>
      or([
        eb('lease_holder', 'is', null),
        eb('lease_holder', '=', holder),
        eb('lease_until', '<', databaseTime(db)),
      ]),
    )
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Only while nobody but this holder has its lease. */
export async function deleteAccount(
  db: Db,
  { id, holder }: { readonly id: string; readonly holder: string },
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('accounts')
    .where('id', '=', id)
    .where(({ or, eb }) =>
      or([
        eb('lease_holder', 'is', null),
        eb('lease_holder', '=', holder),
        eb('lease_until', '<', databaseTime(db)),
      ]),
    )
    .executeTakeFirst()
  return numDeletedRows > 0n
}
