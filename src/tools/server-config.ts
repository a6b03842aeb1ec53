// An MCP server of the settings, as codex gets it with a thread. References to the environment are resolved here: codex
// itself, and so the commands it runs, never has those variables.
import type { McpServerConfig } from '../codex/index.ts'

/** What is read of it here; the rest goes to codex as it is. */
interface NamedServer extends McpServerConfig {
  readonly command?: string
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly env_vars?: readonly string[]
  readonly http_headers?: Readonly<Record<string, string>>
  readonly env_http_headers?: Readonly<Record<string, string>>
  readonly bearer_token_env_var?: string
}

export interface ServerPlace {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where a server runs that names no folder. In the task's own, `npx` would run what the repository put there. */
  readonly folder: string
}

export interface ResolvedServer {
  readonly config: McpServerConfig
  /** To be hidden wherever they stand. */
  readonly secrets: readonly string[]
}

/** Throws, naming the variable, when one is not set. */
export function resolveServer(given: McpServerConfig, { env, folder }: ServerPlace): ResolvedServer {
  const { env_vars, env_http_headers, bearer_token_env_var, ...rest } = given as NamedServer
  const value = (name: string) => {
    const found = env[name]
    if (found === undefined || found === '') throw new Error(`the variable ${name} is not set`)
    return found
  }
  const variables = Object.fromEntries((env_vars ?? []).map((name) => [name, value(name)]))
  const headers = Object.fromEntries(
    Object.entries(env_http_headers ?? {}).map(([header, name]) => [header, value(name)]),
  )
  const bearer = bearer_token_env_var === undefined ? null : value(bearer_token_env_var)
  const isStdio = rest.command !== undefined
  return {
    config: {
      required: true,
      omit_tools_from: ['deferred'],
      ...rest,
      ...(isStdio && { cwd: rest.cwd ?? folder, env: { ...variables, ...rest.env } }),
      ...(!isStdio && {
        http_headers: {
          ...rest.http_headers,
          ...headers,
          ...(bearer !== null && { Authorization: `Bearer ${bearer}` }),
        },
      }),
    },
    secrets: [...Object.values(variables), ...Object.values(headers), ...(bearer === null ? [] : [bearer])],
  }
}
