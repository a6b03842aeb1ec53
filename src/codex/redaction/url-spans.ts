import { mask } from './mask.ts'
import { isHidable, looksRandom } from './secret-value.ts'
import { readAt, type Span } from './span.ts'

const AUTHORITY = /[^\s"'`<>\\/?#]{1,}/y
const MIN_BARE_TOKEN = 20

/** The password in `scheme://user:password@host`, or a token that stands alone before the `@`. `at` is the `://`. */
export function urlSpans(text: string, at: number): readonly Span[] {
  const start = at + 3
  const authority = readAt(AUTHORITY, text, start)?.[0] ?? ''
  const userInfo = authority.slice(0, Math.max(0, authority.lastIndexOf('@')))
  const colon = userInfo.indexOf(':')
  const secret = userInfo.slice(colon + 1)
  const isSecret = colon === -1 ? secret.length >= MIN_BARE_TOKEN && looksRandom(secret) : isHidable(secret)
  if (!isSecret) return []
  return [{ start: start + colon + 1, end: start + userInfo.length, mask: mask(secret) }]
}

const CREDENTIALS = /[ \t=]{1,4}\\{0,3}["']?([^\s"'`\\:$]{1,128}):([^\s"'`\\]{1,512})/y
const COMMAND_BEFORE = 300

/** The password of `curl -u user:password`. Other programs mean something else by `-u`. */
export function curlSpans(text: string, at: number, flag: string): readonly Span[] {
  if (!text.slice(Math.max(0, at - COMMAND_BEFORE), at).includes('curl')) return []
  const match = readAt(CREDENTIALS, text, at + flag.length)
  const secret = match?.[2] ?? ''
  if (!match || !isHidable(secret)) return []
  const end = match.index + match[0].length
  return [{ start: end - secret.length, end, mask: mask(secret) }]
}
