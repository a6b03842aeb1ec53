// What stands in codex's auth.json, as far as it decides whether a login may be stored.
import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { AccountError } from './account-error.ts'

export type AccountKind = 'chatgpt' | 'apikey' | 'access-token'

export interface Login {
  /** The bytes of auth.json. */
  readonly text: string
  readonly kind: AccountKind
  /** Hashed: whose login it is (an API key is its own): a person in an account, which can be a team's. */
  readonly identity: string
  /** Hashed: of which account. A login that codex has renewed has the same. */
  readonly account: string
  /** What must never be shown. */
  readonly secrets: readonly string[]
}

const MAX_BYTES = 256 * 1024
/** Codex's own words for it in `auth_mode`. */
const MODES: Readonly<Record<string, AccountKind>> = { chatgpt: 'chatgpt', apikey: 'apikey' }
const SECRET_KEYS = /token|key|secret/i

/** What codex is told to log in with; null: it reads the login from its file, and renews it there. */
export function keyIn({ kind, secrets }: Login): string | null {
  return kind === 'apikey' ? secrets[0]! : null
}

/** null: not JSON, not a login, or logged out. Never throws, and says nothing of what it read. */
export function loginOf(text: string): Login | null {
  if (Buffer.byteLength(text) > MAX_BYTES) return null
  const file = parsed(text)
  if (file === null) return null
  const secrets = secretsIn(file)
  const tokens = Object(file.tokens) as Record<string, unknown>
  const kind = kindOf(file, tokens)
  if (kind === null || secrets.length === 0) return null
  const whose = kind === 'chatgpt' ? tokens.account_id : secrets[0]
  if (typeof whose !== 'string' || whose === '') return null
  const account = hashOf(`${kind}\n${whose}`)
  const person = kind === 'chatgpt' ? personIn(tokens.id_token) : null
  const identity = person === null ? account : hashOf(`${kind}\n${whose}\n${person}`)
  return { text, kind, identity, account, secrets }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** The subject of an id_token; null where it does not tell. */
function personIn(token: unknown): string | null {
  if (typeof token !== 'string') return null
  const claims = parsed(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  return isText(claims?.sub) ? claims.sub : null
}

function kindOf(file: Record<string, unknown>, tokens: Record<string, unknown>): AccountKind | null {
  const mode =
    typeof file.auth_mode === 'string' ? (MODES[file.auth_mode.toLowerCase()] ?? 'access-token') : null
  // Codex (0.166) writes no mode for it.
  if (mode === null && isText(file.personal_access_token)) return 'access-token'
  const isChatgpt = isText(tokens.access_token) && isText(tokens.refresh_token)
  if (mode === 'chatgpt' || (mode === null && isChatgpt)) return isChatgpt ? 'chatgpt' : null
  if (mode === 'apikey' || mode === null) return isText(file.OPENAI_API_KEY) ? 'apikey' : null
  return mode
}

/** The strings under keys that name secrets, at any depth. */
function secretsIn(value: unknown, depth = 0): string[] {
  if (typeof value !== 'object' || value === null || depth > 4) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    isText(inner) && SECRET_KEYS.test(key) ? [inner] : secretsIn(inner, depth + 1),
  )
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length >= 4
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

/** Codex writes the file in place (0.166): a text counts when two reads with a pause between them agree. */
const PAUSE_MS = 40
const TRIES = 10

/** null: there is none, or it is no login. Rejects when it never holds still. */
export async function readLogin(file: string): Promise<Login | null> {
  let before = textOf(file)
  for (let tries = 0; tries < TRIES; tries++) {
    await delay(PAUSE_MS)
    const now = textOf(file)
    if (now === before) return now === null ? null : loginOf(now)
    before = now
  }
  throw new AccountError('bad-login', `${file} is being written again and again: try it later`)
}

/** null: there is no file. What is no file, or too large for a login, is an empty text, and so no login. */
function textOf(file: string): string | null {
  let descriptor: number
  try {
    // A pipe in its place would hold us up for ever.
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  try {
    if (!fstatSync(descriptor).isFile()) return ''
    const bytes = Buffer.alloc(MAX_BYTES + 1)
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, 0)).toString()
  } finally {
    closeSync(descriptor)
  }
}
