import { existsSync } from 'node:fs'
import path from 'node:path'
import { DrawbridgeError } from '../../codex/index.ts'
import { backupDatabase, databaseFile, dumpCommand, shownUrl } from '../../store/index.ts'
import { EXIT, type Surroundings, UsageError } from '../process/index.ts'
import { printJson } from '../screen/index.ts'
import { dataDirOf, type ServiceFlags } from '../service/index.ts'
import { megabytes } from './megabytes.ts'
import { storeSettings } from './store-settings.ts'

export async function runBackup(
  to: string,
  flags: ServiceFlags & { overwrite?: boolean },
  surroundings: Surroundings,
): Promise<number> {
  const dataDir = dataDirOf(flags, surroundings)
  const { database } = storeSettings(dataDir, surroundings.env)
  if (database !== null) throw pgDumpAdvice(database, to)
  const folder = path.dirname(path.resolve(to))
  if (!existsSync(folder))
    throw new UsageError(`there is no folder ${folder}: make it, or choose another file`)
  const file = databaseFile({ dataDir })
  const made = await backupDatabase({ file, to, overwrite: flags.overwrite === true }).catch(
    (error: unknown) => namingOption(error, to),
  )
  if (flags.json) printJson(surroundings, made)
  else surroundings.stderr.write(`Copied to ${made.file} (${megabytes(made.bytes)}).\n`)
  return EXIT.done
}

function pgDumpAdvice(url: string, to: string): DrawbridgeError {
  const message = `tasks are in ${shownUrl(url)}. PostgreSQL's own tool makes the backup, also while services run: ${dumpCommand(url, to)}`
  return new DrawbridgeError(message, { code: 'use-pg-dump' })
}

/** The store does not know what its option is called here. */
function namingOption(error: unknown, to: string): never {
  if (!(error instanceof DrawbridgeError) || error.code !== 'backup-exists') throw error
  throw new DrawbridgeError(`${to} exists: choose another file, or replace it with --overwrite`, {
    code: error.code,
    cause: error,
  })
}
