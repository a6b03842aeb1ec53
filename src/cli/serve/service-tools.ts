// What tasks of this service can get of tools: modules and MCP servers of the settings, and what is built in.
import { callTool, type OnToolCall, type Tool, type ToolCall, type ToolResult } from '../../codex/index.ts'
import { type AskedTools, TaskError, type TaskTools, type ToolTask } from '../../tasks/index.ts'
import type { ToolServer, ToolSource } from '../../tools/index.ts'
import { BUILT_IN, type BuiltInParts } from './built-in-tools.ts'

export interface ServiceToolsParts {
  readonly sources: readonly ToolSource[]
  /** Where tools are called. Opened when a task first needs it. */
  readonly openServer: () => Promise<ToolServer>
  /** Names of those that every new task gets. */
  readonly toAll: readonly string[]
  readonly builtIn: BuiltInParts
}

/** A tool that was called by a person, to try it. */
export interface TriedCall {
  readonly result: ToolResult
  readonly call: ToolCall
}

export class ServiceTools implements TaskTools {
  readonly #parts: ServiceToolsParts
  readonly #sources: ReadonlyMap<string, ToolSource>
  #server: Promise<ToolServer> | null = null

  constructor(parts: ServiceToolsParts) {
    this.#parts = parts
    this.#sources = new Map(
      [...parts.sources, ...builtInSources(parts)].map((source) => [source.name, source]),
    )
  }

  list(): readonly ToolSource[] {
    return [...this.#sources.values()]
  }

  namesFor({ tools, labels, isHere }: AskedTools): readonly string[] {
    const byLabel = this.list().filter((source) => source.labels.some((label) => labels.includes(label)))
    const names = [...new Set([...this.#parts.toAll, ...tools, ...byLabel.map(({ name }) => name)])]
    if (isHere) for (const name of names) this.#usable(name)
    return names
  }

  async give({ id, tools: names }: ToolTask, { onCall }: { onCall: OnToolCall }) {
    const sources = names.map((name) => this.#usable(name))
    const tools = sources.flatMap((source) => this.#toolsOf(source, id))
    const mcpServers = Object.fromEntries(
      sources.filter(({ server }) => server !== null).map(({ name, server }) => [name, server!]),
    )
    if (tools.length === 0) return { mcpServers }
    return (await this.openServer()).give(tools, { key: id, onCall, mcpServers })
  }

  openServer(): Promise<ToolServer> {
    this.#server ??= this.#parts.openServer().catch((error: unknown) => {
      this.#server = null
      throw error
    })
    return this.#server
  }

  /** Tries a tool of a module. What is built in acts for a task, and MCP servers are codex's to start. */
  async call(name: string, given: unknown, { signal }: { signal: AbortSignal }): Promise<TriedCall> {
    const tool = this.list()
      .filter(({ kind }) => kind === 'module')
      .flatMap(({ tools }) => tools)
      .find((each) => each.name === name)
    if (!tool)
      throw new TaskError('bad-request', `there is no tool ${name} in a module: see drawbridge tools list`)
    const place = { threadId: '', turnId: null, subAgentId: null, callId: '', signal, now: Date.now }
    const { promise, resolve } = Promise.withResolvers<ToolCall>()
    const result = await callTool(tool, given, { ...place, onCall: resolve })
    return { result, call: await promise }
  }

  async close(): Promise<void> {
    const server = await this.#server?.catch(() => null)
    await server?.close()
  }

  #toolsOf({ kind, name, tools }: ToolSource, taskId: string): readonly Tool[] {
    return kind === 'built-in' ? BUILT_IN[name]!(taskId, this.#parts.builtIn) : tools
  }

  #usable(name: string): ToolSource {
    const source = this.#sources.get(name)
    if (!source) {
      const known = [...this.#sources.keys()].join(', ')
      throw new TaskError('bad-request', `there is no tool ${name}: there is ${known}`)
    }
    if (source.problem !== null)
      throw new TaskError('bad-request', `the tool ${name} cannot be used: ${source.problem}`)
    return source
  }
}

function builtInSources({ builtIn }: ServiceToolsParts): readonly ToolSource[] {
  return Object.entries(BUILT_IN).map(([name, make]) => ({
    ...{ name, kind: 'built-in', labels: [], server: null, problem: null },
    tools: make('', builtIn),
  }))
}
