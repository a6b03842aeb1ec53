// How the keys of a server's entry are read. The applications share most of them and differ in names and units.

import { isTable, textOf, textsOf } from '../untyped.ts'
import type { FieldReader, ServerDraft } from './server-draft.ts'

export const readCommand: FieldReader = (draft, value, key) => {
  const words = Array.isArray(value) ? textsOf(value) : isTable(value) ? commandOf(value) : [textOf(value)]
  const [command, ...args] = words ?? []
  if (typeof command !== 'string') return draft.leave(key, 'is not a text')
  if (command === '') return
  draft.command = draft.text(command)
  if (args.length > 0) draft.args = (args as string[]).map((word) => draft.text(word))
  if (isTable(value) && isTable(value.env)) readEnv(draft, value.env, 'env')
}

/** Zed once wrote `command: { path, args, env }`. */
function commandOf(value: Readonly<Record<string, unknown>>): string[] | null {
  const path = textOf(value.path)
  return path === null ? null : [path, ...(textsOf(value.args ?? []) ?? [])]
}

export const readArgs: FieldReader = (draft, value, key) => {
  const words = textsOf(value)
  if (words === null) return draft.leave(key, 'is not a list of texts')
  draft.args = words.map((word) => draft.text(word))
}

const textMap =
  (take: (draft: ServerDraft, name: string, value: string) => void): FieldReader =>
  (draft, value, key) => {
    if (value === null) return
    if (!isTable(value)) return draft.leave(key, 'is not a table')
    for (const [name, each] of Object.entries(value)) {
      const text = textOf(each)
      if (each === null) continue
      if (text === null) draft.leave(`${key}.${name}`, 'is not a text')
      else take(draft, name, text)
    }
  }

export const readEnv = textMap((draft, name, value) => {
  draft.env = { ...draft.env, [name]: draft.text(value) }
})
export const readHeaders = textMap((draft, name, value) => {
  draft.headers = { ...draft.headers, [name]: draft.text(value) }
})

export const readCwd: FieldReader = (draft, value, key) => {
  const text = textOf(value)
  if (text === null) draft.leave(key, 'is not a text')
  else if (text !== '') draft.cwd = draft.text(text)
}

export const readUrl =
  (transport: 'http' | 'sse'): FieldReader =>
  (draft, value, key) => {
    const text = textOf(value)
    if (text === null) return draft.leave(key, 'is not a text')
    // Gemini CLI has one key per transport: HTTP is the one that codex speaks.
    if (text === '' || (draft.url !== null && transport === 'sse')) return
    draft.url = draft.text(text)
    draft.addressTransport = transport
  }

const TRANSPORTS: Readonly<Record<string, 'stdio' | 'http' | 'sse'>> = {
  stdio: 'stdio',
  local: 'stdio',
  http: 'http',
  remote: 'http',
  'streamable-http': 'http',
  streamable_http: 'http',
  streamableHttp: 'http',
  sse: 'sse',
}

export const readTransport: FieldReader = (draft, value, key) => {
  const named = typeof value === 'string' && Object.hasOwn(TRANSPORTS, value) ? TRANSPORTS[value] : undefined
  if (named === undefined) draft.leave(key, 'names a transport that Codex does not have')
  else draft.namedTransport = named
}

type Timeout = 'startupTimeoutSec' | 'toolTimeoutSec'

export const readTimeout =
  (field: Timeout, unit: 's' | 'ms'): FieldReader =>
  (draft, value, key) => {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
    if (typeof number !== 'number' || !Number.isFinite(number) || number <= 0)
      return draft.leave(key, 'is not a positive number')
    draft[field] = unit === 'ms' ? number / 1000 : number
  }

export const readEnabled: FieldReader = (draft, value, key) => {
  if (typeof value !== 'boolean') return draft.leave(key, 'is neither true nor false')
  if (!value) draft.isEnabled = false
}
export const readDisabled: FieldReader = (draft, value, key) => {
  if (typeof value !== 'boolean') return draft.leave(key, 'is neither true nor false')
  if (value) draft.isEnabled = false
}

/** `*` alone means all tools, which is what codex does anyway. */
export const readTools =
  (field: 'enabledTools' | 'disabledTools'): FieldReader =>
  (draft, value, key) => {
    const names = textsOf(value)
    if (names === null) return draft.leave(key, 'is not a list of names')
    if (names.includes('*') && field === 'enabledTools') return
    const patterns = names.filter((name) => /[*?]/.test(name))
    if (patterns.length > 0)
      return draft.leave(key, 'has patterns, and Codex takes only whole names of tools')
    draft[field] = names
  }

/** `{ include, exclude }`, as Hermes and OpenClaw have it. */
export const readToolFilter: FieldReader = (draft, value, key) => {
  if (!isTable(value)) return draft.leave(key, 'is not a table')
  for (const [name, each] of Object.entries(value)) {
    if (name === 'include') readTools('enabledTools')(draft, each, `${key}.include`)
    else if (name === 'exclude') readTools('disabledTools')(draft, each, `${key}.exclude`)
    else draft.leave(`${key}.${name}`, 'has no counterpart in Codex')
  }
}

const LOG_IN = 'log in with `codex mcp login` after the import'

export const readOauth: FieldReader = (draft, value, key) => {
  if (!isTable(value)) {
    if (value !== false) draft.leave(key, LOG_IN)
    return
  }
  for (const [name, each] of Object.entries(value)) readOauthField(draft, each, name, key)
  draft.leave(key, LOG_IN)
}

function readOauthField(draft: ServerDraft, value: unknown, name: string, key: string): void {
  if (/^client_?id$/i.test(name)) draft.oauth.clientId = textOf(value)
  else if (/^callback_?port$/i.test(name) && Number.isSafeInteger(value))
    draft.oauth.callbackPort = value as number
  else if (/^scopes?$/i.test(name)) draft.scopes = scopesOf(value)
  else if (name !== 'enabled') draft.leave(`${key}.${name}`, 'has no counterpart in Codex')
}

function scopesOf(value: unknown): string[] | null {
  return typeof value === 'string' ? value.split(/[\s,]+/).filter((scope) => scope) : textsOf(value)
}

export const leaveOut =
  (why: string): FieldReader =>
  (draft, _, key) =>
    draft.leave(key, why)

/** Known, and without any effect on what the server does. */
export const ignore: FieldReader = () => {}
