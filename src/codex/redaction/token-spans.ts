import { mask } from './mask.ts'
import { readAt, type Span } from './span.ts'
import { familyOf, prefixBefore, type TokenFamily } from './token-families.ts'

/** The token whose prefix ends with `found`, if there is one. */
export function tokenSpans(text: string, at: number, found: string): readonly Span[] {
  const bodyStart = at + found.length
  const prefix = prefixBefore(text, bodyStart) ?? found
  const family = familyOf(prefix)
  const start = family && tokenStart(text, bodyStart - prefix.length, family)
  if (family === undefined || start === undefined || start === null) return []
  // Decided on a part before reading it all: a text of nothing but prefixes must not be read once for each of them.
  if (family.wordlike && !isOpaque(text.slice(bodyStart, bodyStart + MAX_WORDLIKE))) return []
  const body = readAt(family.body, text, bodyStart)?.[0]
  if (body === undefined || (family.wordlike && !isOpaque(body))) return []
  const end = bodyStart + body.length
  return [{ start, end, mask: mask(text.slice(start, end)) }]
}

/** Discord bot tokens have no telling prefix, only a shape. */
export const DISCORD_TOKEN = /[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27,40}/g

export function discordSpans(text: string, at: number, token: string): readonly Span[] {
  return beginsToken(text, at) ? [{ start: at, end: at + token.length, mask: mask(token) }] : []
}

function tokenStart(text: string, at: number, { before, startsRun }: TokenFamily): number | null {
  if (before) {
    const head = before.exec(text.slice(Math.max(0, at - 16), at))?.[0]
    return head === undefined ? null : at - head.length
  }
  if (startsRun && /[_-]/.test(text.charAt(at - 1))) return null
  return beginsToken(text, at) ? at : null
}

/** What may come right before a token though it ends in a letter or digit: JSON and ANSI escapes, percent-encoding. */
const ESCAPE_BEFORE = /(?:\\[nrtbf]|\\u[0-9a-fA-F]{4}|\x1b\[[0-9;]{0,12}[A-Za-z]|%[0-9A-Fa-f]{2})$/

function beginsToken(text: string, at: number): boolean {
  if (at === 0 || !/[A-Za-z0-9]/.test(text.charAt(at - 1))) return true
  return ESCAPE_BEFORE.test(text.slice(Math.max(0, at - 16), at))
}

/** A run of words longer than this has at least a digit. */
const MAX_WORDLIKE = 64

function isOpaque(body: string): boolean {
  return /[0-9]/.test(body) || (/[a-z]/.test(body) && /[A-Z]/.test(body))
}
