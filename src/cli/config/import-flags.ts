// What `drawbridge config import` is told, checked.
import { type Allowed, APPLICATIONS, isSourceName } from '../../config/index.ts'
import { UsageError } from '../process/index.ts'
import type { ConfigFlags } from './config-place.ts'
import { ITEM_TYPES, type ItemName } from './external-items.ts'

export interface ImportFlags extends ConfigFlags {
  readonly from: readonly string[]
  readonly project?: string | true
  readonly dryRun?: boolean
  readonly yes?: boolean
  readonly with: readonly string[]
  readonly allowEnv: readonly string[]
  readonly resolve: readonly string[]
  readonly rules?: 'codex' | 'drawbridge'
  readonly permissions?: string
  readonly start: boolean
}

export interface ImportWants {
  /** In the order of preference. */
  readonly names: readonly string[]
  /** The applications among them. */
  readonly from: ReadonlySet<string>
  readonly allowed: Allowed
  readonly hasPlugins: boolean
  readonly items: readonly ItemName[]
}

export function importWants(flags: ImportFlags): ImportWants {
  const unknown = flags.from.find((name) => !isSourceName(name))
  const ids = APPLICATIONS.map(({ id }) => id)
  if (unknown !== undefined) throw new UsageError(`--from ${unknown}: give one of ${ids.join(', ')}`)
  const known = ['secrets', 'plugins', ...Object.keys(ITEM_TYPES)]
  const foreign = flags.with.find((word) => !known.includes(word))
  if (foreign !== undefined) throw new UsageError(`--with ${foreign}: give one of ${known.join(', ')}`)
  const names = flags.from.length > 0 ? flags.from : ids
  return {
    names,
    from: new Set(names.map((name) => name.split('/', 1)[0]!)),
    allowed: {
      secrets: flags.with.includes('secrets') ? 'all' : new Set(),
      variables: new Set(flags.allowEnv),
      resolve: new Set(flags.resolve),
    },
    hasPlugins: flags.with.includes('plugins'),
    items: (Object.keys(ITEM_TYPES) as ItemName[]).filter((name) => flags.with.includes(name)),
  }
}
