// Which servers are imported, and which give way: to an entry of the user's own in config.toml, or to one of the same name
// that was found before it. Those of a project come last: they would be there for every folder.
import type { FoundServer, Origin } from '../sources/index.ts'
import type { CodexServer } from './codex-server.ts'
import { translateServer } from './translate-server.ts'
import type { Allowed, Translation } from './translation.ts'

type ImportedServer = Translation & {
  readonly name: string
  readonly table: CodexServer
  readonly shown: CodexServer
}

export interface ImportPlan {
  readonly imported: readonly ImportedServer[]
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
  const isOfProject = ({ origin }: FoundServer) => Number(origin.level === 'project')
  const ordered = servers.toSorted((a, b) => isOfProject(a) - isOfProject(b))
  const all = ordered.map((server) => translateServer(server, { env, allowed }))
  const imported: ImportedServer[] = []
  const refused: Translation[] = []
  const preserved: Translation[] = []
  const doubled: ImportPlan['doubled'][number][] = []
  for (const translation of all) {
    const { name, table, shown } = translation
    const first = imported.find((each) => each.name === name)
    if (name !== null && taken.has(name)) preserved.push(translation)
    else if (name === null || table === null || shown === null) refused.push(translation)
    else if (first) doubled.push({ translation, first: first.server.origin })
    else imported.push({ ...translation, name, table, shown })
  }
  return { imported, refused, preserved, doubled, all }
}
