// Hermes: YAML, one file for the user and one for each of its profiles. Its own importer into codex is the model for what
// becomes of each key.
import { NO_MTLS } from './agents.ts'
import type { Application } from './application.ts'
import { at, STDIO, user } from './editors.ts'
import {
  ignore,
  leaveOut,
  readCwd,
  readEnabled,
  readHeaders,
  readOauth,
  readTimeout,
  readToolFilter,
  readUrl,
} from './field-readers.ts'
import { inHome, join, type Places } from './places.ts'
import type { FieldReader } from './server-draft.ts'

const readHermesTransport: FieldReader = (draft, value, key) => {
  if (value === 'sse')
    draft.leave(key, 'Codex negotiates the transport itself, and has no SSE: it must answer streamable HTTP')
}

export const HERMES: Application = {
  id: 'hermes',
  label: 'Hermes',
  format: 'yaml',
  interpolation: 'dollar',
  files: (places) => [
    user(join(places, hermesHome(places), 'config.yaml')),
    ...places.foldersIn(join(places, hermesHome(places), 'profiles')).map((profile) => ({
      ...user(join(places, hermesHome(places), 'profiles', profile, 'config.yaml')),
      profile,
    })),
  ],
  serversIn: at('mcp_servers'),
  fields: {
    ...STDIO,
    cwd: readCwd,
    url: readUrl('http'),
    headers: readHeaders,
    transport: readHermesTransport,
    timeout: readTimeout('toolTimeoutSec', 's'),
    connect_timeout: readTimeout('startupTimeoutSec', 's'),
    enabled: readEnabled,
    tools: readToolFilter,
    auth: readOauth,
    oauth: readOauth,
    description: ignore,
    sampling: leaveOut('Codex has no equivalent: its MCP servers cannot ask the model'),
    client_cert: NO_MTLS,
    client_key: NO_MTLS,
    ssl_verify: NO_MTLS,
  },
}

function hermesHome(places: Places): string {
  return places.env.HERMES_HOME || inHome(places, '.hermes')
}
