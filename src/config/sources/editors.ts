// Editors and desktop applications: Claude Desktop, Cursor, VS Code, Windsurf, Antigravity, Zed.

import { valueAt } from '../untyped.ts'
import type { Application, SourceFile } from './application.ts'
import {
  ignore,
  leaveOut,
  readArgs,
  readCommand,
  readCwd,
  readDisabled,
  readEnabled,
  readEnv,
  readHeaders,
  readOauth,
  readTimeout,
  readTools,
  readTransport,
  readUrl,
} from './field-readers.ts'
import { inAppData, inDotConfig, inHome, inProject, join, type Places } from './places.ts'

export const user = (path: string): SourceFile => ({ level: 'user', path })
export const project = (path: string): SourceFile => ({ level: 'project', path })

export const at =
  (...keys: readonly string[]) =>
  (document: unknown): unknown =>
    valueAt(document, keys)

export const STDIO = { command: readCommand, args: readArgs, env: readEnv }
export const REMOTE = { url: readUrl('http'), headers: readHeaders, type: readTransport }
const ENV_FILE = leaveOut('Codex reads no env files: export its variables where codex starts')
export const NO_AUTO_APPROVAL = leaveOut(
  'who may run tools unasked is not carried over: set default_tools_approval_mode yourself',
)
const LOOKS = { description: ignore, name: ignore, icon: ignore, gallery: ignore, version: ignore }

export const EDITORS: readonly Application[] = [
  {
    id: 'claude-desktop',
    label: 'Claude Desktop',
    format: 'json',
    interpolation: 'none',
    files: (places) => claudeDesktopFiles(places).map(user),
    serversIn: at('mcpServers'),
    fields: { ...STDIO, ...LOOKS, type: readTransport, cwd: readCwd },
  },
  {
    id: 'cursor',
    label: 'Cursor',
    format: 'json',
    interpolation: 'dollar',
    files: (places) => [
      ...inProject(places, '.cursor', 'mcp.json').map(project),
      user(inHome(places, '.cursor', 'mcp.json')),
    ],
    serversIn: at('mcpServers'),
    fields: {
      ...STDIO,
      ...REMOTE,
      ...LOOKS,
      cwd: readCwd,
      envFile: ENV_FILE,
      auth: readOauth,
      disabled: readDisabled,
    },
  },
  {
    id: 'vscode',
    label: 'VS Code',
    format: 'json',
    interpolation: 'dollar',
    files: (places) => [
      ...inProject(places, '.vscode', 'mcp.json').map(project),
      user(inAppData(places, 'Code', 'User', 'mcp.json')),
    ],
    serversIn: at('servers'),
    fields: {
      ...STDIO,
      ...REMOTE,
      ...LOOKS,
      cwd: readCwd,
      envFile: ENV_FILE,
      dev: ignore,
      oauth: readOauth,
      sandboxEnabled: leaveOut('Codex starts MCP servers outside its sandbox'),
    },
  },
  {
    id: 'windsurf',
    label: 'Windsurf',
    format: 'json',
    interpolation: 'dollar',
    files: (places) => [user(inHome(places, '.codeium', 'windsurf', 'mcp_config.json'))],
    serversIn: at('mcpServers'),
    fields: {
      ...STDIO,
      ...REMOTE,
      ...LOOKS,
      serverUrl: readUrl('http'),
      disabled: readDisabled,
      disabledTools: readTools('disabledTools'),
      alwaysAllow: NO_AUTO_APPROVAL,
    },
  },
  {
    id: 'antigravity',
    label: 'Antigravity',
    format: 'json',
    interpolation: 'dollar',
    files: (places) => [user(inHome(places, '.gemini', 'antigravity', 'mcp_config.json'))],
    serversIn: at('mcpServers'),
    fields: {
      ...STDIO,
      ...REMOTE,
      ...LOOKS,
      serverUrl: readUrl('http'),
      cwd: readCwd,
      disabled: readDisabled,
      disabledTools: readTools('disabledTools'),
    },
  },
  {
    id: 'zed',
    label: 'Zed',
    format: 'json',
    interpolation: 'none',
    files: (places) => [
      ...inProject(places, '.zed', 'settings.json').map(project),
      user(
        places.platform === 'win32'
          ? inAppData(places, 'Zed', 'settings.json')
          : inDotConfig(places, 'zed', 'settings.json'),
      ),
    ],
    serversIn: at('context_servers'),
    fields: {
      ...STDIO,
      ...REMOTE,
      enabled: readEnabled,
      timeout: readTimeout('toolTimeoutSec', 's'),
      oauth: readOauth,
      source: ignore,
      remote: ignore,
      settings: leaveOut('settings of a Zed extension mean nothing elsewhere'),
    },
  },
]

function claudeDesktopFiles(places: Places): string[] {
  const name = 'claude_desktop_config.json'
  if (places.platform !== 'win32') return [inAppData(places, 'Claude', name)]
  const local = places.env.LOCALAPPDATA || inHome(places, 'AppData', 'Local')
  const packaged = ['Packages', 'Claude_pzs8sxrjxfjjc', 'LocalCache', 'Roaming', 'Claude', name]
  return [inAppData(places, 'Claude', name), join(places, local, ...packaged)]
}
