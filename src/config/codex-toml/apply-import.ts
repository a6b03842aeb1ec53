// The text of config.toml with what is imported. Pure: who writes it, and when, is not known here.
import { isDeepStrictEqual } from 'node:util'
import { isTable, type Table } from '../untyped.ts'
import {
  type BlockContents,
  type BlockServer,
  isEmpty,
  NOTHING,
  printBlock,
  readBlock,
  serversIn,
} from './block-contents.ts'
import { ConfigError } from './config-error.ts'
import { withoutHermesBlock } from './hermes-block.ts'
import { withBlock, withoutBlock } from './managed-block.ts'
import { settled } from './settled.ts'
import { keyNames, readToml } from './toml-text.ts'
import { tomlValues } from './toml-values.ts'

export interface ImportChange extends BlockContents {
  /** The applications that were read: what the block has of them and is not among `servers` goes. */
  readonly from: ReadonlySet<string>
  /** Whether codex was asked for them; where not, those of the block stay. */
  readonly hasPlugins: boolean
}

export interface AppliedImport {
  readonly text: string
  readonly contents: BlockContents
  /** What the user's own part already says, so that ours is not written. */
  readonly hasOwnPermissions: boolean
}

/** What of config.toml is the user's own: everything but our block and, when Hermes is imported, Hermes' section. */
function ownPart(
  whole: string,
  from: ReadonlySet<string>,
): { text: string; block: string | null; hermes: string | null } {
  const { text, block } = withoutBlock(settled(whole))
  if (!from.has('hermes')) return { text, block, hermes: null }
  const { text: rest, section } = withoutHermesBlock(text)
  return { text: rest, block, hermes: section }
}

/** Names of the servers that the user's own part has, however they are written there. */
export function ownServers(whole: string, from: ReadonlySet<string>): Set<string> {
  const { mcp_servers } = tomlValues(ownPart(whole, from).text)
  return new Set(isTable(mcp_servers) ? Object.keys(mcp_servers) : [])
}

/** Throws a ConfigError when the result would not be exactly the old text's meaning and what is imported. */
export function applyImport(whole: string, change: ImportChange): AppliedImport {
  const { text, block, hermes } = ownPart(whole, change.from)
  const own = tomlValues(text)
  const before = block === null ? NOTHING : readBlock(block)
  refuseInline(text)
  const hasOwnPermissions = own.default_permissions !== undefined || own.sandbox_mode !== undefined
  const contents: BlockContents = {
    permissions: hasOwnPermissions ? null : (change.permissions ?? before.permissions),
    servers: serversOf(change, { before, hermes, own }),
    plugins: without(change.hasPlugins ? change.plugins : before.plugins, own.plugins),
  }
  const result = isEmpty(contents) ? text : withBlock(text, printBlock(contents))
  verify(result, { whole, own, contents })
  return { text: result, contents, hasOwnPermissions }
}

function serversOf(
  change: ImportChange,
  { before, hermes, own }: { before: BlockContents; hermes: string | null; own: Table },
): Map<string, BlockServer> {
  const kept = [...before.servers].filter(([, { from }]) => !change.from.has(from))
  // Hermes' section has servers of Hermes itself, which no file of its configuration names.
  const ofHermes = hermes === null ? [] : [...serversIn(tomlValues(hermes), () => 'hermes-section')]
  return without(new Map([...ofHermes, ...kept, ...change.servers]), own.mcp_servers)
}

function without<T>(map: ReadonlyMap<string, T>, taken: unknown): Map<string, T> {
  return new Map([...map].filter(([name]) => !isTable(taken) || !Object.hasOwn(taken, name)))
}

/** `mcp_servers = { … }` is closed: TOML allows no table below it. */
function refuseInline(text: string): void {
  for (const node of readToml(text).nodes) {
    if (node.type !== 'TOMLKeyValue') continue
    const name = keyNames(node).join('.')
    if (name !== 'mcp_servers' && name !== 'plugins') continue
    const { line, column } = node.loc.start
    throw new ConfigError(
      'config-refused',
      `config.toml:${line}:${column + 1}: ${name} is an inline table, which cannot be added to: write its entries as [${name}.…] tables`,
    )
  }
}

function verify(
  result: string,
  {
    whole,
    own,
    contents: { permissions, servers, plugins },
  }: { whole: string; own: Table; contents: BlockContents },
): void {
  const tables = [...servers].map(([name, { table }]) => [name, table] as const)
  const wanted = {
    ...own,
    ...(permissions !== null && { default_permissions: permissions }),
    ...merged(own, 'mcp_servers', tables),
    ...merged(
      own,
      'plugins',
      [...plugins].map(([id, enabled]) => [id, { enabled }] as const),
    ),
  }
  let read: Table
  try {
    read = tomlValues(result)
  } catch (cause) {
    throw new ConfigError(
      'config-refused',
      'config.toml would not be valid TOML afterwards: nothing is written',
      { cause },
    )
  }
  const isKept = isDeepStrictEqual(plain(others(tomlValues(whole))), plain(others(read)))
  if (!isKept || !isDeepStrictEqual(plain(read), plain(wanted)))
    throw new ConfigError(
      'config-refused',
      'config.toml would say something else afterwards: nothing is written',
    )
}

/** What no import changes. */
function others({ mcp_servers, plugins, default_permissions, ...rest }: Table): Table {
  return rest
}

function merged(own: Table, key: string, entries: readonly (readonly [string, unknown])[]): Table {
  if (entries.length === 0) return {}
  return { [key]: { ...(isTable(own[key]) ? own[key] : {}), ...Object.fromEntries(entries) } }
}

/** Without prototypes, and without what tells 30 from 30.0. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Date) return value.toISOString()
  return isTable(value)
    ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]))
    : value
}
