import { openStore } from '../../store/index.ts'
import { EXIT, type Surroundings } from '../process/index.ts'
import { printJson } from '../screen/index.ts'
import { dataDirOf, type ServiceFlags } from '../service/index.ts'
import { megabytes } from './megabytes.ts'
import { pruneAll } from './prune-all.ts'
import { storeSettings } from './store-settings.ts'

export async function runPrune(flags: ServiceFlags, surroundings: Surroundings): Promise<number> {
  const dataDir = dataDirOf(flags, surroundings)
  const { retention, database: url } = storeSettings(dataDir, surroundings.env)
  const store = await openStore({ dataDir, url, now: Date.now, waitMs: 0 })
  try {
    const pruned = await pruneAll(store, { dataDir, retention, signal: surroundings.interrupted })
    if (flags.json) printJson(surroundings, pruned)
    else {
      const { tasks, trimmed, events, bytesBefore, bytesAfter } = pruned
      const freed = megabytes(Math.max(0, bytesBefore - bytesAfter))
      surroundings.stderr.write(
        `Deleted ${tasks.length} tasks, and ${events} events (${trimmed.length} tasks keep their answer); ${freed} freed.\n`,
      )
    }
    return EXIT.done
  } finally {
    await store.close()
  }
}
