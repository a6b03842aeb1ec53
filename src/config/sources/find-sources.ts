// Reads what is configured in other applications. Nothing is written, and nothing that is named there is run.
import { readdirSync } from 'node:fs'
import { readSmallFile } from '../read-small-file.ts'
import { isTable } from '../untyped.ts'
import { AGENTS } from './agents.ts'
import type { Application, SourceFile, Switches } from './application.ts'
import { CLAUDE_CODE } from './claude-code.ts'
import { EDITORS } from './editors.ts'
import type { FoundServer, Origin } from './found-server.ts'
import { HERMES } from './hermes.ts'
import type { Machine, Places } from './places.ts'
import { type Document, type FileProblem, readDocument } from './read-document.ts'
import { ServerDraft } from './server-draft.ts'

/** In this order a name that several have is taken from the first. */
export const APPLICATIONS: readonly Application[] = [CLAUDE_CODE, ...EDITORS, ...AGENTS, HERMES]

/** Claude Code keeps its history in the same file. */
const MAX_BYTES = 128 * 1024 * 1024

export interface FoundSource extends Origin {
  readonly profile: string | null
  readonly servers: readonly FoundServer[]
  /** Why the file, or its servers, could not be read. It is left alone. */
  readonly problem: FileProblem | null
}

export interface LookFor {
  /** Also what this project configures. */
  readonly project?: string | null
  /** Ids, in the order of preference; `hermes/work` for a profile. By default all, without profiles. */
  readonly from?: readonly string[]
}

/** Every file that is there and names servers, or cannot be read. */
export function findSources(machine: Machine, { project = null, from }: LookFor = {}): FoundSource[] {
  const places: Places = { ...machine, project, foldersIn }
  const wanted = from ?? APPLICATIONS.map(({ id }) => id)
  const seen = new Set<string>()
  return wanted.flatMap((name) => {
    const [id, profile] = splitName(name)
    const application = APPLICATIONS.find((each) => each.id === id)!
    const files = application.files(places).filter((file) => (file.profile ?? null) === profile)
    return files.flatMap((file) => {
      // `.mcp.json` belongs to several.
      const key = `${file.level} ${file.path}`
      if (seen.has(key)) return []
      const found = readSource(application, file, places)
      if (found) seen.add(key)
      return found ?? []
    })
  })
}

/** Every place that is looked at, also where nothing is. */
export function sourcePlaces(machine: Machine, project: string | null): (SourceFile & { id: string })[] {
  const places: Places = { ...machine, project, foldersIn }
  return APPLICATIONS.flatMap(({ id, files }) => files(places).map((file) => ({ ...file, id })))
}

export function isSourceName(name: string): boolean {
  const [id, profile] = splitName(name)
  return APPLICATIONS.some((each) => each.id === id && (profile === null || id === 'hermes'))
}

function splitName(name: string): [id: string, profile: string | null] {
  const at = name.indexOf('/')
  return at === -1 ? [name, null] : [name.slice(0, at), name.slice(at + 1)]
}

/** null when there is no file, or nothing of MCP in it. */
function readSource(application: Application, file: SourceFile, places: Places): FoundSource | null {
  const document = documentAt(file.path, application.format)
  if (document === null) return null
  const origin: Origin = {
    application: application.id,
    label: application.label,
    level: file.level,
    file: file.path,
  }
  const source = { ...origin, profile: file.profile ?? null }
  if ('problem' in document) return { ...source, servers: [], problem: document.problem }
  const servers = application.serversIn(document.value, file, places)
  if (servers === undefined || servers === null) return null
  if (!isTable(servers)) return { ...source, servers: [], problem: NO_TABLE }
  const switches = (application.switches?.(places) ?? []).flatMap(switchesAt)
  const looked = { file, document: document.value, switches, at: places }
  const project = file.level === 'project' ? places.project : null
  const read = Object.entries(servers).map(([name, entry]) => {
    const server = readServer(application, { name, entry, origin, project, places })
    return application.isOff?.(name, looked) ? { ...server, isEnabled: false } : server
  })
  return { ...source, servers: read, problem: null }
}

const NO_TABLE: FileProblem = { message: 'its MCP servers are not a table', line: null, column: null }

interface Entry {
  readonly name: string
  readonly entry: unknown
  readonly origin: Origin
  readonly project: string | null
  readonly places: Places
}

function readServer(application: Application, { name, entry, origin, project, places }: Entry): FoundServer {
  const separator = places.platform === 'win32' ? '\\' : '/'
  const folders = { home: places.home, project, separator } as const
  const draft = new ServerDraft({ interpolation: application.interpolation, folders })
  if (!isTable(entry)) draft.leave(name, 'is not a table')
  else
    for (const [key, value] of Object.entries(entry)) {
      const reader = Object.hasOwn(application.fields, key)
        ? application.fields[key]!
        : unknownKey(application)
      reader(draft, value, key)
    }
  return draft.found(name, origin)
}

const unknownKey =
  ({ label }: Application) =>
  (draft: ServerDraft, _: unknown, key: string) =>
    draft.leave(key, `unknown ${label} key`)

function documentAt(file: string, format: 'json' | 'yaml'): Document | null {
  const read = readSmallFile(file, MAX_BYTES)
  if ('bytes' in read) return readDocument(read.bytes, format)
  return read.problem === null ? null : { problem: { message: read.problem, line: null, column: null } }
}

function switchesAt(file: string): Switches[] {
  const document = documentAt(file, 'json')
  return document && 'value' in document && isTable(document.value)
    ? [{ path: file, settings: document.value }]
    : []
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort()
  } catch {
    return []
  }
}
