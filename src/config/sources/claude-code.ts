// Claude Code: one file for the user with a part for each project, `.mcp.json` in the project, and settings that switch
// servers of that file off.

import { textsOf, valueAt } from '../untyped.ts'
import type { Application, Looked } from './application.ts'
import { at, NO_AUTO_APPROVAL, project, REMOTE, STDIO, user } from './editors.ts'
import { ignore, leaveOut, readCwd, readOauth, readTimeout } from './field-readers.ts'
import { inHome, inProject, join, type Places } from './places.ts'

export const CLAUDE_CODE: Application = {
  id: 'claude-code',
  label: 'Claude Code',
  format: 'json',
  interpolation: 'dollar',
  // What the user set for this project alone comes first there, too.
  files: (places) => [
    ...(places.project === null ? [] : [project(claudeFile(places))]),
    ...inProject(places, '.mcp.json').map(project),
    user(claudeFile(places)),
  ],
  serversIn: (document, file, places) =>
    file.level === 'project' && file.path === claudeFile(places)
      ? valueAt(document, ['projects', places.project!, 'mcpServers'])
      : at('mcpServers')(document),
  fields: {
    ...STDIO,
    ...REMOTE,
    cwd: readCwd,
    timeout: readTimeout('toolTimeoutSec', 'ms'),
    headersHelper: leaveOut('runs a command for its headers: set http_headers_helper yourself'),
    oauth: readOauth,
    alwaysAllow: NO_AUTO_APPROVAL,
    description: ignore,
  },
  switches: (places) => [
    claudeFile(places),
    userSettings(places),
    ...inProject(places, '.claude', 'settings.json'),
    ...inProject(places, '.claude', 'settings.local.json'),
  ],
  isOff: (name, looked) =>
    isListed(name, looked, 'disabledMcpServers') || (isMcpJson(looked) && !isApproved(name, looked)),
}

function isMcpJson({ file, at: places }: Looked): boolean {
  return file.level === 'project' && file.path !== claudeFile(places)
}

/** Claude Code starts no server of `.mcp.json` before the person has said yes to it. */
function isApproved(name: string, looked: Looked): boolean {
  if (isListed(name, looked, 'disabledMcpjsonServers')) return false
  // The project's own settings.json comes with the project: it is not the person's yes.
  const [ofProject] = inProject(looked.at, '.claude', 'settings.json')
  const switches = looked.switches.filter(({ path }) => path !== ofProject)
  const byPerson = { ...looked, switches }
  return (
    isListed(name, byPerson, 'enabledMcpjsonServers') ||
    switches.some(({ settings }) => settings.enableAllProjectMcpServers === true)
  )
}

/** Whether a list for all projects or for this one has the name. */
function isListed(name: string, { switches, at: places }: Looked, key: string): boolean {
  return switches.some(({ settings }) =>
    [[key], ['projects', places.project ?? '', key]].some((keys) =>
      textsOf(valueAt(settings, keys))?.includes(name),
    ),
  )
}

function userSettings(places: Places): string {
  const folder = places.env.CLAUDE_CONFIG_DIR
  return folder ? join(places, folder, 'settings.json') : inHome(places, '.claude', 'settings.json')
}

function claudeFile(places: Places): string {
  const folder = places.env.CLAUDE_CONFIG_DIR
  return folder ? join(places, folder, '.claude.json') : inHome(places, '.claude.json')
}
