// What one `.codex` folder would make codex do. Whatever is not known by name is shown as a setting: nothing is left out.
import { parse } from 'smol-toml'
import { isTable, type Table } from '../untyped.ts'
import type { LayerFile } from './layer-files.ts'
import { joinKey, type Setting, settingsBelow } from './toml-text.ts'

interface NamedMcpServer {
  readonly name: string
  readonly command: string | null
  readonly args: readonly string[]
  readonly url: string | null
  /** Variables it is given; their values are among the settings. */
  readonly envNames: readonly string[]
}

interface NamedHook {
  readonly event: string
  readonly command: string
  /** Relative to the `.codex` folder. */
  readonly file: string
}

export interface LayerContents {
  readonly mcpServers: readonly NamedMcpServer[]
  readonly hooks: readonly NamedHook[]
  readonly rules: readonly string[]
  /** Files that describe sub-agents, each with settings of its own. */
  readonly agents: readonly string[]
  readonly settings: readonly Setting[]
}

interface Draft {
  readonly mcpServers: NamedMcpServer[]
  readonly hooks: NamedHook[]
  readonly settings: Setting[]
}

/** Never throws: `problem` is the first file that cannot be read as what it should be. */
export function readLayer(files: readonly LayerFile[]): LayerContents & { readonly problem: string | null } {
  const draft: Draft = { mcpServers: [], hooks: [], settings: [] }
  const below = (folder: string) =>
    files.map(({ name }) => name).filter((name) => name === folder || name.startsWith(`${folder}/`))
  let problem: string | null = null
  for (const file of files) {
    try {
      readFile(file, draft)
    } catch (error) {
      problem ??= `${file.name} ${whyUnreadable(error)}`
    }
  }
  return { ...draft, rules: below('rules'), agents: below('agents'), problem }
}

function readFile({ name, bytes }: LayerFile, draft: Draft): void {
  if (name === 'hooks.json') return readHooksFile(name, JSON.parse(textOf(bytes)), draft)
  if (name === 'config.toml') return readConfig(name, parseToml(bytes), draft)
  if (!name.startsWith('agents/') || !name.endsWith('.toml')) return
  draft.settings.push(...settingsBelow(joinKey('', name), parseToml(bytes)))
}

export function parseToml(bytes: Buffer): Table {
  return parse(textOf(bytes), { integersAsBigInt: 'asNeeded' })
}

/** Bytes that are no text would be shown as other than codex reads. */
function textOf(bytes: Buffer): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
}

function readConfig(file: string, config: Table, draft: Draft): void {
  for (const [key, value] of Object.entries(config)) {
    if (key === 'mcp_servers' && isTable(value)) readServers(value, draft)
    else if (key === 'hooks' && isTable(value)) readHooks({ file, prefix: 'hooks' }, value, draft)
    else draft.settings.push(...settingsBelow(joinKey('', key), value))
  }
}

function readServers(servers: Table, { mcpServers, settings }: Draft): void {
  for (const [name, server] of Object.entries(servers)) {
    const key = joinKey('mcp_servers', name)
    if (!isTable(server)) {
      settings.push(...settingsBelow(key, server))
      continue
    }
    const { command, args, url, ...rest } = server
    mcpServers.push({
      name,
      command: typeof command === 'string' ? command : null,
      args: isTexts(args) ? args : [],
      url: typeof url === 'string' ? url : null,
      envNames: envNames(server),
    })
    const odd = {
      ...(command !== undefined && typeof command !== 'string' && { command }),
      ...(args !== undefined && !isTexts(args) && { args }),
      ...(url !== undefined && typeof url !== 'string' && { url }),
      ...rest,
    }
    if (Object.keys(odd).length > 0) settings.push(...settingsBelow(key, odd))
  }
}

function envNames({ env, env_vars: passed }: Table): string[] {
  return [...(isTable(env) ? Object.keys(env) : []), ...(isTexts(passed) ? passed : [])]
}

/** codex takes the events below `hooks`, or at the top. */
function readHooksFile(file: string, value: unknown, draft: Draft): void {
  if (!isTable(value)) throw new TypeError('not an object')
  const { hooks, ...rest } = value
  if (hooks !== undefined) readHooks({ file, prefix: joinKey('', file) }, hooks, draft)
  if (Object.keys(rest).length > 0) readHooks({ file, prefix: joinKey('', file) }, rest, draft)
}

interface HookPlace {
  readonly file: string
  readonly prefix: string
}

function readHooks(place: HookPlace, events: unknown, draft: Draft): void {
  if (!isTable(events)) return void draft.settings.push(...settingsBelow(place.prefix, events))
  for (const [event, value] of Object.entries(events))
    collectHooks({ ...place, prefix: joinKey(place.prefix, event) }, event, value, draft)
}

/** Commands lie at different depths from version to version: any `command` that is text counts as one. */
function collectHooks(place: HookPlace, event: string, value: unknown, draft: Draft, depth = 0): void {
  if (depth > 50) throw new RangeError('is nested too deep')
  if (Array.isArray(value)) {
    for (const [index, each] of value.entries())
      collectHooks({ ...place, prefix: `${place.prefix}[${index}]` }, event, each, draft, depth + 1)
  } else if (isTable(value)) {
    for (const [name, inner] of Object.entries(value)) {
      if (name === 'command' && typeof inner === 'string')
        draft.hooks.push({ event, command: inner, file: place.file })
      else collectHooks({ ...place, prefix: joinKey(place.prefix, name) }, event, inner, draft, depth + 1)
    }
  } else draft.settings.push(...settingsBelow(place.prefix, value))
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

function whyUnreadable(error: unknown): string {
  if (error instanceof RangeError) return 'is nested too deep'
  const [line] = (error instanceof Error ? error.message : String(error)).split('\n')
  return `cannot be read: ${line}`
}
