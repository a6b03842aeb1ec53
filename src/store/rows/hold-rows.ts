// Logins that no worker may use for a while.
import type { Db } from '../db.ts'
import type { AccountHoldRow } from '../schema.ts'

/** The one that lasts longest counts. */
export async function holdAccount(db: Db, hold: AccountHoldRow): Promise<void> {
  const { until, why } = hold
  await db
    .insertInto('account_holds')
    .values(hold)
    .onConflict((conflict) =>
      conflict.column('account').doUpdateSet({ until, why }).where('account_holds.until', '<', until),
    )
    .execute()
}

export async function releaseAccount(db: Db, account: string): Promise<void> {
  await db.deleteFrom('account_holds').where('account', '=', account).execute()
}

export function accountHolds(db: Db, now: number): Promise<AccountHoldRow[]> {
  return db.selectFrom('account_holds').selectAll().where('until', '>', now).execute()
}

/** Those that are over. */
export async function forgetHolds(db: Db, now: number): Promise<void> {
  await db.deleteFrom('account_holds').where('until', '<=', now).execute()
}
