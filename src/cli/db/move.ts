// `drawbridge db move`: opens both sides, so that no service of theirs runs, and copies.
import { existsSync } from 'node:fs'
import path from 'node:path'
import {
  giveThreads,
  type MovedTable,
  type MoveProgress,
  moveStore,
  openDatabase,
  openPostgres,
  StoreError,
  shownUrl,
} from '../../store/index.ts'
import { asTyped, EXIT, type Surroundings, UsageError } from '../process/index.ts'
import { count, printJson } from '../screen/index.ts'
import { dataDirOf, makeDataFolder, type ServiceFlags, workerIdOf } from '../service/index.ts'
import { type Place, type PlaceOptions, postgresAt, readPlace } from './place.ts'
import { storeSettings } from './store-settings.ts'

export interface MoveFlags extends ServiceFlags {
  readonly to?: string
  readonly from?: string
}

const TELL_MS = 2_000

export async function runMove(flags: MoveFlags, surroundings: Surroundings): Promise<number> {
  const { from, to } = await sidesOf(flags, surroundings)
  const [shownFrom, shownTo] = [shown(from), shown(to)]
  surroundings.stderr.write(`Copying ${shownFrom} to ${shownTo} …\n`)
  const tables = await move(from, to, surroundings)
  if (flags.json) printJson(surroundings, { from: shownFrom, to: shownTo, tables })
  else surroundings.stderr.write(summary(tables, { from, to }))
  return EXIT.done
}

async function sidesOf(flags: MoveFlags, surroundings: Surroundings): Promise<{ from: Place; to: Place }> {
  const dataDir = dataDirOf(flags, surroundings)
  if (flags.to === '-' && flags.from === '-') throw new UsageError('only one of --to and --from can be -')
  const named = (option: PlaceOptions['option'], text: string | undefined) =>
    text === undefined ? null : readPlace(text, { option, dataDir, surroundings })
  const configured = () => {
    const { database } = storeSettings(dataDir, surroundings.env)
    if (database !== null) return postgresAt(database)
    throw new UsageError('no PostgreSQL is configured: name it with --to or --from (see --help)')
  }
  const inFolder = () => readPlace('sqlite', { option: '--from', dataDir, surroundings })
  const to = (await named('--to', flags.to)) ?? configured()
  const from =
    (await named('--from', flags.from)) ?? (to.kind === 'postgres' ? await inFolder() : configured())
  if (from.kind === to.kind)
    throw new UsageError(
      'a store moves between SQLite and PostgreSQL. To copy one of the same kind use `drawbridge db backup`, or pg_dump.',
    )
  return { from, to }
}

async function move(from: Place, to: Place, surroundings: Surroundings): Promise<readonly MovedTable[]> {
  const file = from.kind === 'sqlite' ? from.file : to.kind === 'sqlite' ? to.file : ''
  const source = await open(from, { mayMake: false })
  try {
    const target = await open(to, { mayMake: true })
    try {
      const moved = await moveStore({
        from: source,
        to: target,
        framesDir: path.join(path.dirname(file), 'frames'),
        deliverablesDir: path.join(path.dirname(file), 'deliverables'),
        onProgress: progressOn(surroundings),
        signal: surroundings.interrupted,
      })
      // The service of this data folder is the only one that can go on with them.
      if (to.kind === 'postgres') await giveThreads(target.db, workerIdOf(path.dirname(file)))
      return moved
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

/** SQLite is locked with it: a service that runs on it is told as such. */
function open(place: Place, { mayMake }: { mayMake: boolean }) {
  if (place.kind === 'postgres') return openPostgres({ url: place.url, replyTimeoutMs: 0 })
  if (!mayMake && !existsSync(place.file))
    throw new StoreError('database-not-found', `there is no database at ${place.file}`)
  makeDataFolder(path.dirname(place.file))
  return openDatabase({ file: place.file, now: Date.now })
}

function progressOn({ stderr }: Surroundings): (progress: MoveProgress) => void {
  let toldAt = performance.now()
  return ({ table, copied, checked, total }) => {
    if (performance.now() - toldAt < TELL_MS) return
    toldAt = performance.now()
    stderr.write(
      `  ${table}: ${checked > 0 ? `${checked} of ${total} compared` : `${copied} of ${total} copied`}\n`,
    )
  }
}

function summary(tables: readonly MovedTable[], { from, to }: { from: Place; to: Place }): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const changed = tables.reduce((sum, { changedValues }) => sum + changedValues, 0)
  const filled = tables.filter((table) => table.rows > 0).map((table) => `${table.table} ${table.rows}`)
  const next =
    to.kind === 'postgres'
      ? 'To use it, set DATABASE_URL to that address, or "database" in settings.json.'
      : 'To use it, unset DATABASE_URL and "database" in settings.json.'
  const lines = [
    `Copied ${count(rows, 'row')} to ${shown(to)}, read back and compared: ${filled.join(', ') || 'none'}.`,
    ...(changed > 0
      ? [`${count(changed, 'value')} had the character U+0000, which PostgreSQL cannot hold: it is ␀ there.`]
      : []),
    `${shown(from)} is unchanged. ${next}`,
  ]
  return asTyped(`${lines.join('\n')}\n`)
}

function shown(place: Place): string {
  return place.kind === 'postgres' ? shownUrl(place.url) : place.file
}
