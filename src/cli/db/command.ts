// The store of a data folder, for whoever operates it. Nothing here needs a running service.
import type { Command } from 'commander'
import { type Adding, addExamples } from '../help/index.ts'
import type { Surroundings } from '../process/index.ts'
import { acting, addServiceOptions, type ServiceFlags } from '../service/index.ts'
import type { MoveFlags } from './move.ts'

export function addDbCommand(program: Command, surroundings: Surroundings, { isListed }: Adding): void {
  const db = program
    .command('db')
    .summary('back up, check, prune and move the database')
    .description('About the database of the service: SQLite in the data folder, or PostgreSQL.')
  if (isListed) return
  addBackup(db, surroundings)
  addCheck(db, surroundings)
  addPrune(db, surroundings)
  addMove(db, surroundings)
  addExamples(db, [
    'drawbridge db backup drawbridge-backup.db',
    'drawbridge db check',
    ['drawbridge db move', 'to the PostgreSQL that DATABASE_URL names'],
  ])
}

function addBackup(db: Command, surroundings: Surroundings): void {
  const backup = db
    .command('backup')
    .summary('copy the database, also while the service runs')
    .description(
      'Copies the SQLite database as it is now to a file, and checks the copy. The service may go on. For PostgreSQL, prints the pg_dump command to use.',
    )
    .argument('<file>', 'where the copy goes')
    .option('--overwrite', 'replace a file that is there')
  addExamples(backup, [
    'drawbridge db backup drawbridge-backup.db',
    'drawbridge db backup /var/backups/drawbridge.db --overwrite',
  ])
  addServiceOptions(backup).action(
    acting(surroundings, async (file: string, flags: ServiceFlags & { overwrite?: boolean }) => {
      const { runBackup } = await import('./backup.ts')
      return runBackup(file, flags, surroundings)
    }),
  )
}

function addCheck(db: Command, surroundings: Surroundings): void {
  const check = db
    .command('check')
    .summary('look for damage and contradictions')
    .description(
      'Reads all of the database and tells what is wrong with it. Changes nothing. Exit code 1 when something is.',
    )
  addExamples(check, ['drawbridge db check', `drawbridge db check --json | jq -r '.findings[].message'`])
  addServiceOptions(check).action(
    acting(surroundings, async (flags: ServiceFlags) => {
      const { runCheck } = await import('./check.ts')
      return runCheck(flags, surroundings)
    }),
  )
}

function addPrune(db: Command, surroundings: Surroundings): void {
  const prune = db
    .command('prune')
    .summary('forget what the settings say is too old')
    .description(
      'Deletes what the retention in settings.json says. A running service does this by itself, every hour.',
    )
  addExamples(prune, [
    ['drawbridge stop && drawbridge db prune', 'only while no service has the data folder'],
    'drawbridge db prune --json | jq .bytesAfter',
  ])
  addServiceOptions(prune).action(
    acting(surroundings, async (flags: ServiceFlags) => {
      const { runPrune } = await import('./prune.ts')
      return runPrune(flags, surroundings)
    }),
  )
}

const MOVE_HELP = `
A place is one of:
  sqlite          the file drawbridge.db in the data folder
  a file          another SQLite file
  env:NAME        the address in that variable, for example env:DATABASE_URL
  -               the address, read from stdin
  postgres://…    an address; other users of this machine can see a password in it (ps): prefer env:NAME or -
Without --to: the PostgreSQL of the settings. Without --from: the SQLite file of the data folder, or the PostgreSQL of
the settings when --to is SQLite.

Everything is copied in one transaction, read back and compared before it counts. The source is not changed, the target
must be empty, and every service on either side must be stopped. Afterwards set DATABASE_URL, or "database" in
settings.json, to the new place.`

function addMove(db: Command, surroundings: Surroundings): void {
  const move = db
    .command('move')
    .summary('copy everything from SQLite to PostgreSQL, or back')
    .description('Copies a whole store from SQLite to PostgreSQL or back, and checks the copy.')
    .option('--to <place>', 'where to (default: the PostgreSQL of the settings)')
    .option('--from <place>', 'where from (default: the other one)')
  addExamples(
    move,
    [
      ['drawbridge stop && drawbridge db move --to env:DATABASE_URL', 'from SQLite to PostgreSQL'],
      ['printenv OTHER_URL | drawbridge db move --to -', 'the address comes from another program'],
      ['drawbridge db move --from env:DATABASE_URL --to sqlite', 'and back'],
    ],
    MOVE_HELP,
  )
  addServiceOptions(move).action(
    acting(surroundings, async (flags: MoveFlags) => {
      const { runMove } = await import('./move.ts')
      return runMove(flags, surroundings)
    }),
  )
}
