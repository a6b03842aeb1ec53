// Agents of the command line: Gemini CLI, opencode, OpenClaw, Amp, Copilot CLI. Claude Code and Hermes have files of
// their own.

import { isTable, textsOf, valueAt } from '../untyped.ts'
import type { Application } from './application.ts'
import { at, NO_AUTO_APPROVAL, project, REMOTE, STDIO, user } from './editors.ts'
import {
  ignore,
  leaveOut,
  readCwd,
  readDisabled,
  readEnabled,
  readEnv,
  readHeaders,
  readOauth,
  readTimeout,
  readToolFilter,
  readTools,
  readTransport,
  readUrl,
} from './field-readers.ts'
import { inDotConfig, inHome, inProject, join, type Places } from './places.ts'

export const NO_MTLS = leaveOut('Codex has no client certificates: put a proxy before the server')

export const AGENTS: readonly Application[] = [
  {
    id: 'gemini',
    label: 'Gemini CLI',
    format: 'json',
    interpolation: 'dollar-bare',
    files: (places) => [
      ...inProject(places, '.gemini', 'settings.json').map(project),
      user(inHome(places, '.gemini', 'settings.json')),
      { level: 'system', path: geminiSystemFile(places) },
    ],
    serversIn: at('mcpServers'),
    fields: {
      ...STDIO,
      cwd: readCwd,
      httpUrl: readUrl('http'),
      url: readUrl('sse'),
      type: readTransport,
      headers: readHeaders,
      timeout: readTimeout('toolTimeoutSec', 'ms'),
      includeTools: readTools('enabledTools'),
      excludeTools: readTools('disabledTools'),
      trust: NO_AUTO_APPROVAL,
      description: ignore,
      oauth: readOauth,
      authProviderType: leaveOut('log in with `codex mcp login` after the import'),
    },
    // Those of the user and the system count for servers of a project, too.
    switches: (places) => [inHome(places, '.gemini', 'settings.json'), geminiSystemFile(places)],
    isOff: (name, { document, switches }) =>
      [document, ...switches.map(({ settings }) => settings)].some((settings) => {
        const allowed = textsOf(valueAt(settings, ['mcp', 'allowed']))
        const excluded = textsOf(valueAt(settings, ['mcp', 'excluded']))
        return excluded?.includes(name) === true || (allowed !== null && !allowed.includes(name))
      }),
  },
  {
    id: 'opencode',
    label: 'opencode',
    format: 'json',
    interpolation: 'braces',
    files: (places) => [
      ...['opencode.json', 'opencode.jsonc'].flatMap((name) => inProject(places, name).map(project)),
      ...['opencode.json', 'opencode.jsonc'].flatMap((name) =>
        inProject(places, '.opencode', name).map(project),
      ),
      ...['opencode.json', 'opencode.jsonc'].map((name) => user(inDotConfig(places, 'opencode', name))),
    ],
    serversIn: opencodeServers,
    fields: {
      ...STDIO,
      ...REMOTE,
      environment: readEnv,
      cwd: readCwd,
      enabled: readEnabled,
      disabled: readDisabled,
      timeout: readTimeout('startupTimeoutSec', 'ms'),
      oauth: readOauth,
    },
  },
  {
    id: 'openclaw',
    label: 'OpenClaw',
    format: 'json',
    interpolation: 'dollar',
    files: (places) => [user(inHome(places, '.openclaw', 'openclaw.json'))],
    serversIn: at('mcp', 'servers'),
    fields: {
      ...STDIO,
      cwd: readCwd,
      workingDirectory: readCwd,
      url: readUrl('sse'),
      headers: readHeaders,
      type: readTransport,
      transport: readTransport,
      timeout: readTimeout('toolTimeoutSec', 's'),
      requestTimeoutMs: readTimeout('toolTimeoutSec', 'ms'),
      connectTimeout: readTimeout('startupTimeoutSec', 's'),
      connectionTimeoutMs: readTimeout('startupTimeoutSec', 'ms'),
      toolFilter: readToolFilter,
      enabled: readEnabled,
      auth: readOauth,
      oauth: readOauth,
      clientCert: NO_MTLS,
      clientKey: NO_MTLS,
      sslVerify: NO_MTLS,
      codex: leaveOut("is OpenClaw's own way to start Codex: set the same keys in config.toml yourself"),
    },
  },
  {
    id: 'amp',
    label: 'Amp',
    format: 'json',
    interpolation: 'dollar',
    files: (places) => [
      ...['settings.json', 'settings.jsonc'].flatMap((name) => inProject(places, '.amp', name).map(project)),
      ...['settings.json', 'settings.jsonc'].map((name) => user(ampFile(places, name))),
    ],
    // One key with a dot in it.
    serversIn: at('amp.mcpServers'),
    fields: {
      ...STDIO,
      ...REMOTE,
      cwd: readCwd,
      disabled: readDisabled,
      includeTools: readTools('enabledTools'),
      oauth: readOauth,
    },
  },
  {
    id: 'copilot',
    label: 'Copilot CLI',
    format: 'json',
    interpolation: 'dollar',
    files: (places) => [
      ...inProject(places, '.github', 'mcp.json').map(project),
      ...inProject(places, '.mcp.json').map(project),
      user(copilotFile(places)),
    ],
    serversIn: at('mcpServers'),
    fields: {
      ...STDIO,
      ...REMOTE,
      cwd: readCwd,
      tools: readTools('enabledTools'),
      timeout: readTimeout('toolTimeoutSec', 'ms'),
      oauth: readOauth,
    },
  },
]

function geminiSystemFile(places: Places): string {
  if (places.platform === 'darwin') return '/Library/Application Support/GeminiCli/settings.json'
  return places.platform === 'win32'
    ? join(places, places.env.ProgramData || 'C:\\ProgramData', 'gemini-cli', 'settings.json')
    : '/etc/gemini-cli/settings.json'
}

/** Version 2 has them one level deeper. A server of version 1 may itself be called `servers`. */
function opencodeServers(document: unknown): unknown {
  const servers = valueAt(document, ['mcp', 'servers'])
  const isServer = isTable(servers) && (typeof servers.type === 'string' || 'command' in servers)
  return servers === undefined || isServer ? valueAt(document, ['mcp']) : servers
}

function ampFile(places: Places, name: string): string {
  return inDotConfig(places, 'amp', name)
}

function copilotFile(places: Places): string {
  const home = places.env.COPILOT_HOME
  return home ? join(places, home, 'mcp-config.json') : inHome(places, '.copilot', 'mcp-config.json')
}
