import type { Db } from '../db.ts'
import { refuseNewer } from '../migrate.ts'
import { MIGRATIONS } from '../migrations/index.ts'
import { StoreError } from '../store-errors.ts'
import { doneInPostgres } from './migrate-postgres.ts'

/** For a worker that runs while another is upgraded: whether a newer Drawbridge has changed the tables. null: it has not. */
export async function newerSchema({ db, shown }: { db: Db; shown: string }): Promise<StoreError | null> {
  try {
    refuseNewer(await doneInPostgres(db), { file: shown, migrations: MIGRATIONS })
    return null
  } catch (error) {
    return error instanceof StoreError && error.code === 'database-too-new' ? error : null
  }
}
