// Which servers are imported, and which give way: to an entry of the user's own, or to one of the same name that was
// found before it.
import type { FoundServer, Origin } from '../sources/index.ts'
import { translateServer } from './translate-server.ts'
import type { Allowed, Translation } from './translation.ts'

export interface ImportPlan {
  readonly imported: readonly (Translation & { name: string; table: NonNullable<Translation['table']> })[]
  /** Cannot be imported, each with its problem. */
  readonly refused: readonly Translation[]
  /** The user's config.toml has one of that name, which stays. */
  readonly preserved: readonly Translation[]
  /** One of that name was found before. */
  readonly doubled: readonly { readonly translation: Translation; readonly first: Origin }[]
  readonly all: readonly Translation[]
}

export interface PlanOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly allowed: Allowed
  /** Names of servers in config.toml outside the managed block. */
  readonly taken: ReadonlySet<string>
}

export function planImport(
  servers: readonly FoundServer[],
  { env, allowed, taken }: PlanOptions,
): ImportPlan {
  const all = servers.map((server) => translateServer(server, { env, allowed }))
  const imported: ImportPlan['imported'][number][] = []
  const refused: Translation[] = []
  const preserved: Translation[] = []
  const doubled: ImportPlan['doubled'][number][] = []
  for (const translation of all) {
    const { name, table } = translation
    const first = imported.find((each) => each.name === name)
    if (name !== null && taken.has(name)) preserved.push(translation)
    else if (name === null || table === null) refused.push(translation)
    else if (first) doubled.push({ translation, first: first.server.origin })
    else imported.push({ ...translation, name, table })
  }
  return { imported, refused, preserved, doubled, all }
}
