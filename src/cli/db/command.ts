// The database of a data folder, for whoever operates it. Nothing here needs a running service.
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import { DrawbridgeError } from '../../codex/index.ts'
import { type Adding, addExamples } from '../help/index.ts'
import { EXIT, type Surroundings, UsageError } from '../process/index.ts'
import { printJson, printLines, repairLines } from '../screen/index.ts'
import { acting, addServiceOptions, dataDirOf, type ServiceFlags } from '../service/index.ts'

const DAMAGED =
  'The next start of the service keeps the damaged file under another name, and goes on with what can be read of it and the newest good backup.\n'

export function addDbCommand(program: Command, surroundings: Surroundings, { isListed }: Adding): void {
  const db = program
    .command('db')
    .summary('back up, check and prune the database')
    .description('About the database in the data folder.')
  if (isListed) return
  const backup = db
    .command('backup')
    .summary('copy the database, also while the service runs')
    .description('Copies the database as it is now to a file, and checks the copy. The service may go on.')
    .argument('<file>', 'where the copy goes')
    .option('--overwrite', 'replace a file that is there')
  addExamples(backup, [
    'drawbridge db backup drawbridge-backup.db',
    'drawbridge db backup /var/backups/drawbridge.db --overwrite',
  ])
  addServiceOptions(backup).action(
    acting(surroundings, (file: string, flags: ServiceFlags & { overwrite?: boolean }) =>
      runBackup(file, flags, surroundings),
    ),
  )
  const check = db
    .command('check')
    .summary('look for damage and contradictions')
    .description(
      'Reads all of the database and tells what is wrong with it. Changes nothing. Exit code 1 when something is.',
    )
  addExamples(check, ['drawbridge db check', `drawbridge db check --json | jq -r '.findings[].message'`])
  addServiceOptions(check).action(
    acting(surroundings, (flags: ServiceFlags) => runCheck(flags, surroundings)),
  )
  const prune = db
    .command('prune')
    .summary('forget what the settings say is too old')
    .description(
      'Deletes what the retention in settings.json says. A running service does this by itself, every hour.',
    )
  addExamples(prune, [
    ['drawbridge stop && drawbridge db prune', 'only while no service has the database'],
    'drawbridge db prune --json | jq .bytesAfter',
  ])
  addServiceOptions(prune).action(
    acting(surroundings, (flags: ServiceFlags) => runPrune(flags, surroundings)),
  )
  addExamples(db, ['drawbridge db backup drawbridge-backup.db', 'drawbridge db check'])
}

async function runBackup(
  to: string,
  flags: ServiceFlags & { overwrite?: boolean },
  surroundings: Surroundings,
): Promise<number> {
  const folder = path.dirname(path.resolve(to))
  if (!existsSync(folder))
    throw new UsageError(`there is no folder ${folder}: make it, or choose another file`)
  const { backupDatabase, databaseFile } = await import('../../tasks/index.ts')
  const file = databaseFile({ dataDir: dataDirOf(flags, surroundings) })
  const made = await backupDatabase({ file, to, overwrite: flags.overwrite === true }).catch(
    (error: unknown) => namingOption(error, to),
  )
  if (flags.json) printJson(surroundings, made)
  else surroundings.stderr.write(`Copied to ${made.file} (${megabytes(made.bytes)}).\n`)
  return EXIT.done
}

/** The store does not know what its option is called here. */
function namingOption(error: unknown, to: string): never {
  if (!(error instanceof DrawbridgeError) || error.code !== 'backup-exists') throw error
  throw new DrawbridgeError(`${to} exists: choose another file, or replace it with --overwrite`, {
    code: error.code,
    cause: error,
  })
}

async function runCheck(flags: ServiceFlags, surroundings: Surroundings): Promise<number> {
  const { checkDatabase, databaseFile, listRepairs } = await import('../../tasks/index.ts')
  const file = databaseFile({ dataDir: dataDirOf(flags, surroundings) })
  const findings = await checkDatabase(file)
  const repairs = await listRepairs(file)
  if (flags.json) {
    printJson(surroundings, { file, ok: findings.length === 0, findings, repairs })
    return findings.length === 0 ? EXIT.done : EXIT.failed
  }
  for (const repair of repairs) surroundings.stderr.write(`${repairLines(repair).join('\n')}\n`)
  if (findings.length === 0) surroundings.stderr.write(`${file}: all is well.\n`)
  else
    printLines(
      surroundings,
      findings.map(({ kind, message }) => ({ text: `${kind}: ${message}`, colour: 'red' })),
    )
  if (findings.some(({ kind }) => kind === 'damage')) surroundings.stderr.write(DAMAGED)
  return findings.length === 0 ? EXIT.done : EXIT.failed
}

async function runPrune(flags: ServiceFlags, surroundings: Surroundings): Promise<number> {
  const { openDatabase } = await import('../../tasks/index.ts')
  const { pruneAll } = await import('./prune-all.ts')
  const { readSettings } = await import('../../config/index.ts')
  const dataDir = dataDirOf(flags, surroundings)
  const { retention } = readSettings(dataDir, surroundings.env)
  const database = await openDatabase({ dataDir, now: Date.now })
  try {
    const pruned = await pruneAll(database, { dataDir, retention, signal: surroundings.interrupted })
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
    await database.close()
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MB`
}
