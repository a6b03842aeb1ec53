// What is in the managed block: servers with the application each is from, plugins, a default permission profile.
import { isTable } from '../untyped.ts'
import { type TomlValue, tomlKey, tomlValue } from './print-toml.ts'
import type { TomlNode } from './sort-out.ts'
import { keyNames, readToml, type TomlText } from './toml-text.ts'
import { tomlValues } from './toml-values.ts'

export type ServerTable = Readonly<Record<string, TomlValue>>

export interface BlockServer {
  /** Which application, and which project of it: see blockOrigin. */
  readonly from: string
  readonly table: ServerTable
}

export interface BlockContents {
  readonly permissions: string | null
  readonly servers: ReadonlyMap<string, BlockServer>
  /** `name@marketplace`, and whether it is on. */
  readonly plugins: ReadonlyMap<string, boolean>
}

export const NOTHING: BlockContents = { permissions: null, servers: new Map(), plugins: new Map() }
const FROM = /^# from (\S+(?: ".*")?)$/

/** How the block names where a server is from: `zed`, or `zed "/work/shop"` for one of a project's files. */
export function blockOrigin(application: string, project: string | null): string {
  return project === null ? application : `${application} ${tomlValue(project)}`
}

export function isEmpty({ permissions, servers, plugins }: BlockContents): boolean {
  return permissions === null && servers.size === 0 && plugins.size === 0
}

export function printBlock({ permissions, servers, plugins }: BlockContents): string[] {
  return [
    ...(permissions === null ? [] : [`default_permissions = ${tomlValue(permissions)}`]),
    ...sorted(servers).flatMap(([name, { from, table }]) => [`# from ${from}`, ...serverLines(name, table)]),
    ...sorted(plugins).flatMap(([id, isOn]) => [`[plugins.${tomlKey(id)}]`, `enabled = ${isOn}`]),
  ]
}

function serverLines(name: string, table: ServerTable): string[] {
  const lines = Object.entries(table).map(([key, value]) => `${tomlKey(key)} = ${tomlValue(value)}`)
  return [`[mcp_servers.${tomlKey(name)}]`, ...lines]
}

/** By code unit, so that it does not depend on the machine. */
function sorted<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
}

/** What a block holds that was written before, also after a person has edited it. */
export function readBlock(text: string): BlockContents {
  const values = tomlValues(text)
  const origins = originsIn(readToml(text))
  const permissions = values.default_permissions
  return {
    permissions: typeof permissions === 'string' ? permissions : null,
    servers: serversIn(values, (name) => origins.get(name) ?? 'hand'),
    plugins: new Map(
      Object.entries(isTable(values.plugins) ? values.plugins : {}).map(([id, plugin]) => [
        id,
        isTable(plugin) && plugin.enabled === true,
      ]),
    ),
  }
}

/** By the comment above each server. */
function originsIn({ text, nodes, commentLines }: TomlText): Map<string, string> {
  const origins = new Map<string, string>()
  for (const node of nodes) {
    if (node.type !== 'TOMLTable' || node.resolvedKey[0] !== 'mcp_servers') continue
    const start = text.lastIndexOf('\n', node.range[0] - 1) + 1
    const above = commentLines.find(({ end }) => end === start)
    const from = FROM.exec(above?.text.trimEnd() ?? '')?.[1]
    if (from !== undefined && node.resolvedKey.length === 2) origins.set(String(node.resolvedKey[1]), from)
  }
  return origins
}

/** Whether a node of the block can be one that an import wrote: readBlock knows all that such a node says. */
export function importedNodes(toml: TomlText): (node: TomlNode) => boolean {
  const origins = originsIn(toml)
  const tables = toml.nodes.filter((node) => node.type === 'TOMLTable')
  const foreignPlugins = new Set(
    tables
      .filter((table) => table.resolvedKey[0] === 'plugins' && !saysOnlyEnabled(table))
      .map(({ resolvedKey }) => resolvedKey[1]),
  )
  return (node) => {
    if (node.type === 'TOMLKeyValue') return keyNames(node).join('.') === 'default_permissions'
    const [top, name] = node.resolvedKey
    if (top === 'mcp_servers') return origins.has(String(name))
    return top === 'plugins' && name !== undefined && !foreignPlugins.has(name)
  }
}

function saysOnlyEnabled({ resolvedKey, body }: Extract<TomlNode, { type: 'TOMLTable' }>): boolean {
  return resolvedKey.length === 2 && body.every((entry) => keyNames(entry).join('.') === 'enabled')
}

/** The servers of a parsed config.toml. */
export function serversIn(values: unknown, fromOf: (name: string) => string): Map<string, BlockServer> {
  const servers = isTable(values) && isTable(values.mcp_servers) ? values.mcp_servers : {}
  return new Map(
    Object.entries(servers).flatMap(([name, table]) =>
      isTable(table) ? [[name, { from: fromOf(name), table: table as ServerTable }] as const] : [],
    ),
  )
}
