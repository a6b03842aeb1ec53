import { checkDatabase, checkPostgres, databaseFile, listRepairs, shownUrl } from '../../store/index.ts'
import { EXIT, type Surroundings } from '../process/index.ts'
import { printJson, printLines, repairLines } from '../screen/index.ts'
import { dataDirOf, type ServiceFlags } from '../service/index.ts'
import { storeSettings } from './store-settings.ts'

const DAMAGED =
  'The next start of the service keeps the damaged file under another name, and goes on with what can be read of it and the newest good backup.\n'

export async function runCheck(flags: ServiceFlags, surroundings: Surroundings): Promise<number> {
  const { place, findings, repairs } = await look(dataDirOf(flags, surroundings), surroundings)
  const exitCode = findings.length === 0 ? EXIT.done : EXIT.failed
  if (flags.json) {
    printJson(surroundings, { ...place, ok: findings.length === 0, findings, repairs })
    return exitCode
  }
  for (const repair of repairs) surroundings.stderr.write(`${repairLines(repair).join('\n')}\n`)
  if (findings.length === 0) surroundings.stderr.write(`${place.file ?? place.url}: all is well.\n`)
  else
    printLines(
      surroundings,
      findings.map(({ kind, message }) => ({ text: `${kind}: ${message}`, colour: 'red' })),
    )
  if (findings.some(({ kind }) => kind === 'damage')) surroundings.stderr.write(DAMAGED)
  return exitCode
}

async function look(dataDir: string, { env }: Surroundings) {
  const { database } = storeSettings(dataDir, env)
  if (database !== null)
    return { place: { url: shownUrl(database) }, findings: await checkPostgres(database), repairs: [] }
  const file = databaseFile({ dataDir })
  return { place: { file }, findings: await checkDatabase(file), repairs: await listRepairs(file) }
}
