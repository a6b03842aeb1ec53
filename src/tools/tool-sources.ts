// The tools of the settings, loaded. One that cannot be used is kept with the reason: tasks that want it are refused.
import path from 'node:path'
import { type McpServerConfig, redact, registerSecrets, type Tool } from '../codex/index.ts'
import { loadModule } from './load-module.ts'
import { resolveServer, type ServerPlace } from './server-config.ts'

/** An entry of `tools` in the settings. */
export interface ToolEntry {
  readonly labels: readonly string[]
  /** A file that exports tools. This, or a server. */
  readonly module?: string | undefined
  readonly server?: McpServerConfig | undefined
}

/** What tasks can be given under one name: the tools of a module, or an MCP server. */
export interface ToolSource {
  readonly name: string
  readonly kind: 'module' | 'server' | 'built-in'
  /** Tasks with one of these labels get it without asking. */
  readonly labels: readonly string[]
  readonly tools: readonly Tool[]
  readonly server: McpServerConfig | null
  /** Why it cannot be used, in one line; null: it can. */
  readonly problem: string | null
}

/** Never rejects. Files and folders are relative to the folder of the settings. */
export async function loadToolSources(
  entries: Readonly<Record<string, ToolEntry>>,
  place: ServerPlace,
): Promise<readonly ToolSource[]> {
  const loaded = await Promise.all(
    Object.entries(entries).map(([name, entry]) => loadSource(name, entry, place)),
  )
  const taken = new Map<string, string>()
  return loaded.map((source) => {
    const twice = source.tools.find((tool) => taken.has(tool.name))
    if (twice) {
      const problem = `it has a tool ${twice.name}, and so has ${taken.get(twice.name)}: rename one`
      return { ...source, tools: [], problem }
    }
    for (const tool of source.tools) taken.set(tool.name, source.name)
    return source
  })
}

async function loadSource(name: string, entry: ToolEntry, place: ServerPlace): Promise<ToolSource> {
  const { labels, module, server } = entry
  const kind = module === undefined ? 'server' : 'module'
  const source = { name, kind, labels, tools: [], server: null, problem: null } as const
  try {
    if (module !== undefined)
      return { ...source, tools: reserved(await loadModule(path.resolve(place.folder, module))) }
    const { config, secrets } = resolveServer(server ?? {}, place)
    registerSecrets(secrets)
    return { ...source, server: config }
  } catch (error) {
    return { ...source, problem: redact(error instanceof Error ? error.message : String(error)) }
  }
}

function reserved(tools: readonly Tool[]): readonly Tool[] {
  const own = tools.find(({ name }) => name.startsWith('drawbridge_'))
  if (own) throw new Error(`the tool ${own.name} cannot be called so: drawbridge_… are built in`)
  return tools
}
