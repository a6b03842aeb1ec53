// Claude Code: one file for the user with a part for each project, `.mcp.json` in the project, and settings that switch
// servers of that file off.

import { textsOf, valueAt } from '../untyped.ts'
import type { Application } from './application.ts'
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
    inHome(places, '.claude', 'settings.json'),
    ...inProject(places, '.claude', 'settings.json'),
    ...inProject(places, '.claude', 'settings.local.json'),
  ],
  isOff: (name, { switches, at: places }) =>
    switches.some((settings) => {
      const ofProject = valueAt(settings, ['projects', places.project ?? ''])
      const lists = [
        valueAt(settings, ['disabledMcpjsonServers']),
        valueAt(ofProject, ['disabledMcpjsonServers']),
        valueAt(ofProject, ['disabledMcpServers']),
      ]
      return lists.some((list) => textsOf(list)?.includes(name))
    }),
}

export function claudeFile(places: Places): string {
  const folder = places.env.CLAUDE_CONFIG_DIR
  return folder ? join(places, folder, '.claude.json') : inHome(places, '.claude.json')
}
