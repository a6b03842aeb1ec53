import { readdirSync } from 'node:fs'
import { repairLines } from '../screen/index.ts'
import { type Check, fail, messageOf, ok, warn } from './check.ts'

/** Which database the service of this data folder uses, and whether it answers. */
export async function checkStore(dataFolder: string, env: NodeJS.ProcessEnv): Promise<Check> {
  const { readStoreSettings } = await import('../../config/index.ts')
  try {
    const { database } = readStoreSettings(dataFolder, env)
    if (database === null) return ok('database', `SQLite in ${dataFolder}`)
    const { lookAtPostgres } = await import('../../store/index.ts')
    const { shownUrl, version } = await lookAtPostgres(database)
    return ok('database', `PostgreSQL ${version} at ${shownUrl}`)
  } catch (error) {
    const fix = 'check DATABASE_URL, DRAWBRIDGE_DATABASE_URL and settings.json, and that the database runs'
    return fail('database', messageOf(error), fix)
  }
}

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
