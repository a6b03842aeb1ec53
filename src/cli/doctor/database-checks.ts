import { readdirSync } from 'node:fs'
import { repairLines } from '../screen/index.ts'
import { type Check, warn } from './check.ts'

/** One for each damaged database that was set aside and is still there. */
export async function checkDatabases(dataFolder: string): Promise<Check[]> {
  // Loading the store only to find nothing would cost every doctor.
  if (!hasDamaged(dataFolder)) return []
  const { databaseFile, listRepairs } = await import('../../tasks/index.ts')
  const repairs = await listRepairs(databaseFile({ dataDir: dataFolder })).catch(() => [])
  return repairs.map((repair) =>
    warn(
      'database',
      repairLines(repair).join(' '),
      `when you do not need it any more, delete ${repair.setAside} and the files that begin with its name`,
    ),
  )
}

function hasDamaged(dataFolder: string): boolean {
  try {
    return readdirSync(dataFolder).some((name) => name.includes('.damaged-'))
  } catch {
    return false
  }
}
