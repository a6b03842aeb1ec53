// An import from end to end, on a text: what becomes of each server, and what config.toml then says.
import {
  type AppliedImport,
  applyImport,
  blockOrigin,
  ownServers,
  type ServerTable,
  tomlValues,
} from './codex-toml/index.ts'
import type { FoundServer, FoundSource, Origin } from './sources/index.ts'
import { type Allowed, type ImportPlan, planImport, serverSecrets } from './translate/index.ts'

export interface ImportWish {
  readonly servers: readonly FoundServer[]
  /** What was read whole, as `originsRead` names it. What the block has of others stays. */
  readonly from: ReadonlySet<string>
  /** Whose files `servers` of the level `project` are from. */
  readonly project: string | null
  readonly env: Readonly<Record<string, string | undefined>>
  readonly allowed: Allowed
  /** `name@marketplace`, and whether it is on; null when codex was not asked. */
  readonly plugins: ReadonlyMap<string, boolean> | null
  /** The default permission profile to write; null for none. */
  readonly permissions: string | null
}

export interface PreparedImport {
  readonly plan: ImportPlan
  readonly applied: AppliedImport
  /** Literal secrets of the sources and of config.toml: to be hidden wherever anything of this is shown. */
  readonly secrets: readonly string[]
  /** Each line that is written of an imported server, as people are shown it. */
  readonly shownLines: ReadonlyMap<string, string>
}

/** Throws a ConfigError when the text is broken, or cannot take what is imported. */
export function prepareImport(text: string, wish: ImportWish): PreparedImport {
  const { servers, from, project, env, allowed, plugins } = wish
  const plan = planImport(servers, { env, allowed, taken: ownServers(text, from) })
  const permissions = wish.permissions === null ? null : profileName(wish.permissions)
  const applied = applyImport(text, {
    from,
    permissions,
    servers: tablesOf(plan, { which: 'table', project }),
    plugins: plugins ?? new Map(),
    hasPlugins: plugins !== null,
  })
  const { mcp_servers: present } = tomlValues(text)
  const secrets = [...plan.all.flatMap((translation) => translation.secrets), ...serverSecrets(present)]
  return { plan, applied, secrets: [...new Set(secrets)], shownLines: shownLines(plan, project) }
}

function tablesOf(
  { imported }: ImportPlan,
  { which, project }: { which: 'table' | 'shown'; project: string | null },
) {
  return new Map(
    imported.map((translation) => {
      const from = originOf(translation.server.origin, project)
      return [translation.name, { from, table: { ...translation[which] } as ServerTable }] as const
    }),
  )
}

/** Hiding changes no number of lines: a value is one line. */
function shownLines(plan: ImportPlan, project: string | null): Map<string, string> {
  const [written, shown] = (['table', 'shown'] as const).map((which) => {
    const servers = tablesOf(plan, { which, project })
    const change = { from: new Set<string>(), permissions: null, plugins: new Map(), hasPlugins: false }
    return applyImport('', { ...change, servers }).text.split('\n')
  }) as [string[], string[]]
  return new Map(written.map((line, index) => [line, shown[index]!]))
}

function originOf(
  { application, level }: Pick<Origin, 'application' | 'level'>,
  project: string | null,
): string {
  return blockOrigin(application, level === 'project' ? project : null)
}

/** The applications, and their parts of the project, without those of which a file could not be read. */
export function originsRead(
  applications: ReadonlySet<string>,
  { sources, project }: { sources: readonly FoundSource[]; project: string | null },
): Set<string> {
  const projects = project === null ? [null] : [null, project]
  const all = [...applications].flatMap((id) => projects.map((each) => blockOrigin(id, each)))
  const broken = sources.filter(({ problem }) => problem).map((source) => originOf(source, project))
  return new Set(all.filter((origin) => !broken.includes(origin)))
}

/** Codex's own profiles begin with a colon. */
function profileName(name: string): string {
  return name.startsWith(':') ? name : `:${name}`
}
