// What the trust commands have in common: their options, the record they work on, the folder they look at.
import path from 'node:path'
import type { Command } from 'commander'
import type { TrustLook } from '../../api/index.ts'
import { namedCodexHome } from '../options/index.ts'
import { type Surroundings, UsageError } from '../process/index.ts'
import { visibleLine } from '../screen/index.ts'
import { addServiceOptions, dataDirOf, type ServiceFlags } from '../service/index.ts'
import type { TrustPlace } from './trust-door.ts'

export interface TrustFlags extends ServiceFlags {
  readonly codexHome?: string
  readonly yes?: boolean
}

export function addTrustOptions(command: Command): Command {
  return addServiceOptions(command).option(
    '--codex-home <folder>',
    "Codex's own folder (default: $CODEX_HOME, ~/.codex)",
  )
}

/** Loaded when it is wanted: what it needs takes longer to load than `--help` may take. */
export async function trustPlace(flags: TrustFlags, surroundings: Surroundings): Promise<TrustPlace> {
  const { env } = surroundings
  const dataDir = dataDirOf(flags, surroundings)
  const [{ TrustPlace }, { readSettings }] = await Promise.all([
    import('./trust-door.ts'),
    import('../../config/index.ts'),
  ])
  const { protectedPaths } = readSettings(dataDir, env)
  const home = flags.codexHome === undefined ? {} : { CODEX_HOME: namedCodexHome(flags.codexHome) }
  return new TrustPlace({ dataDir, env: { ...env, ...home }, protectedPaths, now: Date.now })
}

export function codexHomeOf({ codexHome }: TrustFlags): string | null {
  return codexHome === undefined ? null : namedCodexHome(codexHome)
}

/** The folder named, or the one we are in. */
export function lookedAt(place: TrustPlace, folder: string | undefined, flags: TrustFlags): TrustLook {
  const cwd = path.resolve(folder ?? '.')
  const seen = place.look({ cwd, codexHome: codexHomeOf(flags) })
  if (seen === null) throw new UsageError(`no such folder: ${visibleLine(cwd)}`)
  return seen
}
