import { readAt, type Span } from './span.ts'

export const PRIVATE_KEY_BEGIN = '-----BEGIN'
const HEADER = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y
const LINE = /(?:\s|\\[nr]){0,8}[A-Za-z0-9+/=]{16,}/y
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

function bodyEnd(text: string, start: number): number {
  const dashes = text.indexOf('-----', start)
  if (dashes !== -1 && dashes - start <= MAX_BODY && text.startsWith('-----END', dashes)) return dashes
  let end = start
  for (let line = readAt(LINE, text, end); line; line = readAt(LINE, text, end)) end += line[0].length
  return end
}
