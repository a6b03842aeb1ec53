// One `[mcp_servers.x]` of codex's config.toml.

export interface CodexServer {
  readonly command?: string
  readonly args?: readonly string[]
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Variables that codex copies from its own environment, by name. */
  readonly env_vars?: readonly string[]
  readonly url?: string
  readonly http_headers?: Readonly<Record<string, string>>
  /** Header to variable: codex reads the value from its own environment. */
  readonly env_http_headers?: Readonly<Record<string, string>>
  readonly bearer_token_env_var?: string
  readonly oauth?: Readonly<Record<string, string | number>>
  readonly scopes?: readonly string[]
  readonly enabled?: false
  readonly startup_timeout_sec?: number
  readonly tool_timeout_sec?: number
  readonly enabled_tools?: readonly string[]
  readonly disabled_tools?: readonly string[]
}

/** What codex accepts as the name of a server. */
export const SERVER_NAME = /^[a-zA-Z0-9_:@/.-]+$/

/** The name itself, or the nearest that codex accepts; null when nothing is left of it. */
export function codexName(name: string): string | null {
  if (SERVER_NAME.test(name)) return name
  const fitting = name
    .normalize('NFKD')
    .replace(/[^a-zA-Z0-9_:@/.-]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return fitting === '' ? null : fitting
}
