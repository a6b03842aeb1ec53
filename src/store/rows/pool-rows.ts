// What people have said of pools of accounts.
import type { Selectable } from 'kysely'
import type { AccountPoolRow } from '../account-schema.ts'
import type { Db } from '../db.ts'
import { databaseTime } from '../dialect.ts'

export type StoredPool = Selectable<AccountPoolRow>

export function poolRows(db: Db): Promise<StoredPool[]> {
  return db.selectFrom('account_pools').selectAll().orderBy('name').execute()
}

/** What is left out stays as it was, or has the default. */
export async function changePool(
  db: Db,
  name: string,
  { by, ...fields }: Partial<Pick<StoredPool, 'on_limit' | 'billing'>> & { readonly by: string },
): Promise<void> {
  const changed = { ...fields, changed_at: databaseTime(db), changed_by: by }
  await db
    .insertInto('account_pools')
    .values({ name, on_limit: null, billing: 'same', ...changed })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(changed))
    .execute()
}
