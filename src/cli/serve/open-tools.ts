// The tools of the service, from its settings; and what the doors see of them.
import type { ToolDoor } from '../../api/index.ts'
import type { Settings } from '../../config/index.ts'
import type { Machine } from '../../hosts/index.ts'
import type { DurableTasks } from '../../tasks/index.ts'
import type { ToolSource } from '../../tools/index.ts'
import { ServiceTools } from './service-tools.ts'

interface ToolPlaceOptions {
  readonly settings: Pick<Settings, 'tools' | 'defaultTools' | 'deliverables' | 'protectedPaths'>
  readonly dataDir: string
  readonly env: NodeJS.ProcessEnv
  readonly tell: (line: string) => void
  /** Files and folders that are never handed over. */
  readonly protect: readonly string[]
  readonly machineOf: (host: string) => Promise<Machine>
}

/** Tells of those that cannot be used; tasks that want them are refused. */
export async function openServiceTools(
  { settings, dataDir, env, tell, protect, machineOf }: ToolPlaceOptions,
  tasks: () => DurableTasks,
): Promise<ServiceTools> {
  const sources = await sourcesOf(settings, { dataDir, env })
  for (const { name, problem } of sources)
    if (problem !== null) tell(`the tool ${name} cannot be used: ${problem}`)
  const openServer = async () => (await import('./tool-place.ts')).openToolPlace(dataDir, tell)
  const tools = new ServiceTools({
    sources,
    openServer,
    toAll: settings.defaultTools,
    builtIn: {
      tasks,
      tellPeople: (taskId, message) => tasks().tellPeople(taskId, message),
      inside: {
        ...{ tasks, protect, machineOf, dataDir, env, protectThere: settings.protectedPaths },
        maxBytes: settings.deliverables.maxBytes,
      },
    },
  })
  // Codex may be calling already, in turns that went on without us.
  if ((await import('./tool-place.ts')).hasToolPlace(dataDir)) await tools.openServer()
  return tools
}

async function sourcesOf(
  { tools }: Pick<Settings, 'tools'>,
  { dataDir, env }: { dataDir: string; env: NodeJS.ProcessEnv },
): Promise<readonly ToolSource[]> {
  if (Object.keys(tools).length === 0) return []
  const { loadToolSources } = await import('../../tools/index.ts')
  return loadToolSources(tools, { env, folder: dataDir })
}

export function toolDoor(tools: ServiceTools): ToolDoor {
  return {
    list: () => tools.list().map(shown),
    call: async (name, given, options) => {
      const { result, call } = await tools.call(name, given, options)
      const { outcome, durationMs } = call
      return { outcome, durationMs, content: [...result.content], structured: result.structured }
    },
  }
}

/** Without what is in a server's definition: commands, variables and headers can hold secrets. */
function shown({ name, kind, labels, tools, server, problem }: ToolSource) {
  const transport = server === null ? null : server.command === undefined ? 'http' : 'stdio'
  return {
    ...{ name, kind, problem },
    labels: [...labels],
    transport: transport as 'http' | 'stdio' | null,
    tools: tools.map((tool) => ({ name: tool.name, description: tool.description })),
  }
}
