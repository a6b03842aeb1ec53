// Who is let in at the doors of all services that share a store.
import type { SharedStore } from '../../api/index.ts'
import { type Store, sweepDoors } from '../../store/index.ts'
import type { OpenFleet } from './fleet.ts'

const UNSEEN_MS = 90 * 24 * 60 * 60 * 1000

export async function credentialsOf({ db }: Store, { options }: OpenFleet): Promise<SharedStore> {
  const { sharedCredentials } = await import('./shared-credentials.ts')
  return sharedCredentials(db, options.id)
}

/** Tokens of services that have not been seen for so long let nobody in any more. */
export function forgetOldDoors({ db }: Store): Promise<number> {
  return sweepDoors(db, { unseenMs: UNSEEN_MS })
}
