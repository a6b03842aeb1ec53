import { Restores, type RestoringParts } from './restores.ts'
import type { SnapshotParts, SnapshotSettings } from './snapshot-parts.ts'
import { Snapshots } from './snapshots.ts'

export interface TakenSnapshots {
  readonly taken: Snapshots
  readonly restores: Restores
}

type Options = Omit<SnapshotParts, 'settings'> &
  Pick<RestoringParts, 'isTrusted'> &
  Partial<Pick<RestoringParts, 'knownTools'>> & { readonly snapshots?: SnapshotSettings | null }

/** null: the service takes none. */
export function takenSnapshots({ snapshots: settings, knownTools, ...rest }: Options): TakenSnapshots | null {
  if (!settings) return null
  const parts = { ...rest, settings }
  const taken = new Snapshots(parts)
  return {
    taken,
    restores: new Restores({ ...parts, snapshots: taken, knownTools: knownTools ?? ((names) => names) }),
  }
}
