// An import from end to end, on a text: what becomes of each server, and what config.toml then says.
import { parse } from 'smol-toml'
import {
  type AppliedImport,
  applyImport,
  ownServers,
  type ServerTable,
  withoutBom,
} from './codex-toml/index.ts'
import type { FoundServer } from './sources/index.ts'
import { type Allowed, type ImportPlan, planImport, serverSecrets } from './translate/index.ts'

export interface ImportWish {
  readonly servers: readonly FoundServer[]
  /** Ids of the applications that were read whole. What the block has of others stays. */
  readonly from: ReadonlySet<string>
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
  const { servers, from, env, allowed, plugins } = wish
  const plan = planImport(servers, { env, allowed, taken: ownServers(text, from) })
  const permissions = wish.permissions === null ? null : profileName(wish.permissions)
  const applied = applyImport(text, {
    from,
    permissions,
    servers: tablesOf(plan, 'table'),
    plugins: plugins ?? new Map(),
    hasPlugins: plugins !== null,
  })
  const { mcp_servers: present } = parse(withoutBom(text))
  const secrets = [...plan.all.flatMap((translation) => translation.secrets), ...serverSecrets(present)]
  return { plan, applied, secrets: [...new Set(secrets)], shownLines: shownLines(plan) }
}

function tablesOf({ imported }: ImportPlan, which: 'table' | 'shown') {
  return new Map(
    imported.map((translation) => {
      const from = translation.server.origin.application
      return [translation.name, { from, table: { ...translation[which] } as ServerTable }] as const
    }),
  )
}

/** Hiding changes no number of lines: a value is one line. */
function shownLines(plan: ImportPlan): Map<string, string> {
  const [written, shown] = (['table', 'shown'] as const).map((which) => {
    const servers = tablesOf(plan, which)
    const change = { from: new Set<string>(), permissions: null, plugins: new Map(), hasPlugins: false }
    return applyImport('', { ...change, servers }).text.split('\n')
  }) as [string[], string[]]
  return new Map(written.map((line, index) => [line, shown[index]!]))
}

/** Codex's own profiles begin with a colon. */
function profileName(name: string): string {
  return name.startsWith(':') ? name : `:${name}`
}
