// The programs that can be given Drawbridge as MCP server: which file of theirs, where in it, and how an entry reads.
import path from 'node:path'

/** What a client starts. */
export interface ServerCommand {
  readonly command: string
  readonly args: readonly string[]
}

export interface Places {
  readonly home: string
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface ClientApp {
  /** For people. */
  readonly title: string
  readonly format: 'json' | 'toml'
  /** Where the entry of our name is put. */
  readonly key: string
  file(places: Places): string
  entry(server: ServerCommand): Readonly<Record<string, unknown>>
}

/** How every client names it. */
export const ENTRY_NAME = 'drawbridge'

const plain = ({ command, args }: ServerCommand) => ({ command, args })
const stdio = (server: ServerCommand) => ({ type: 'stdio', ...plain(server) })
const inHome =
  (...parts: readonly string[]) =>
  ({ home }: Places) =>
    path.join(home, ...parts)

/** Where an application keeps its settings, by platform. */
const inAppData =
  (...parts: readonly string[]) =>
  ({ home, platform, env }: Places) => {
    if (platform === 'darwin') return path.join(home, 'Library', 'Application Support', ...parts)
    if (platform === 'win32') return path.join(env.APPDATA || path.join(home, 'AppData', 'Roaming'), ...parts)
    return path.join(env.XDG_CONFIG_HOME || path.join(home, '.config'), ...parts)
  }

const json = (title: string, file: ClientApp['file'], more: Partial<ClientApp> = {}): ClientApp => ({
  title,
  format: 'json',
  key: 'mcpServers',
  file,
  entry: plain,
  ...more,
})

export const CLIENT_APPS: Readonly<Record<string, ClientApp>> = {
  'claude-code': json('Claude Code', inHome('.claude.json'), { entry: stdio }),
  'claude-desktop': json('Claude Desktop', inAppData('Claude', 'claude_desktop_config.json')),
  codex: {
    title: 'Codex',
    format: 'toml',
    key: 'mcp_servers',
    file: ({ home, env }) => path.join(env.CODEX_HOME || path.join(home, '.codex'), 'config.toml'),
    entry: plain,
  },
  cursor: json('Cursor', inHome('.cursor', 'mcp.json')),
  vscode: json('VS Code', inAppData('Code', 'User', 'mcp.json'), { key: 'servers', entry: stdio }),
  windsurf: json('Windsurf', inHome('.codeium', 'windsurf', 'mcp_config.json')),
  zed: json('Zed', zedFile, { key: 'context_servers' }),
  gemini: json('Gemini CLI', inHome('.gemini', 'settings.json')),
  antigravity: json('Antigravity', inHome('.gemini', 'antigravity', 'mcp_config.json')),
  amp: json('Amp', inHome('.config', 'amp', 'settings.json'), { key: 'amp.mcpServers' }),
  copilot: json(
    'Copilot CLI',
    ({ home, env }) => path.join(env.COPILOT_HOME || path.join(home, '.copilot'), 'mcp-config.json'),
    {
      entry: (server) => ({ type: 'local', ...plain(server), tools: ['*'] }),
    },
  ),
}

/** On macOS it does not use the usual folder. */
function zedFile({ home, platform, env }: Places): string {
  const folder =
    platform === 'win32'
      ? path.join(env.APPDATA || path.join(home, 'AppData', 'Roaming'), 'Zed')
      : path.join(env.XDG_CONFIG_HOME || path.join(home, '.config'), 'zed')
  return path.join(folder, 'settings.json')
}
