import { readAt, type Span } from './span.ts'

export const PRIVATE_KEY_BEGIN = '-----BEGIN'
const HEADER = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y
/** Lines may be those of a diff, quoted, numbered, or strings in code. The last one of a key may be short. */
const LINE =
  /(?:\s|\\[nr]|[-+>|#*"',]){0,16}(?:\d{1,6}[:\t ][ \t]{0,4})?(?:[A-Za-z0-9+/=]{16,}|[A-Za-z0-9+/]{2,15}={1,2})/y
const KEY_LINE = /^(?:\s*|[-+>|#*"', \t]{0,8}(?:\d{1,6}[:\t ])?[A-Za-z0-9+/=]{2,}["',+ \t\\n]*\r?)$|-----END/
const MAX_BODY = 32_768

/** What stands between the lines that say BEGIN and END; of a key cut short, the lines that are there. */
export function privateKeySpans(text: string, at: number): readonly Span[] {
  const header = readAt(HEADER, text, at)
  if (!header) return []
  const start = at + header[0].length
  const end = bodyEnd(text, start)
  return /[A-Za-z0-9]/.test(text.slice(start, end)) ? [{ start, end, mask: '***' }] : []
}

/** Whether the text ends within a private key. */
export function isInsidePrivateKey(text: string): boolean {
  const at = text.lastIndexOf(PRIVATE_KEY_BEGIN)
  return at !== -1 && readAt(HEADER, text, at) !== null && text.indexOf('-----END', at) === -1
}

/** Whether a line whose context is unknown may be one of a private key. */
export function isKeyLine(line: string): boolean {
  return KEY_LINE.test(line)
}

function bodyEnd(text: string, start: number): number {
  let dashes = text.indexOf('-----', start)
  // On a removed line of a diff there is one dash more.
  while (dashes !== -1 && text[dashes + 5] === '-') dashes++
  if (dashes !== -1 && dashes - start <= MAX_BODY && text.startsWith('-----END', dashes)) return dashes
  let end = start
  for (let line = readAt(LINE, text, end); line; line = readAt(LINE, text, end)) end += line[0].length
  return end
}
