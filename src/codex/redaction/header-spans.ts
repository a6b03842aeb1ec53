import { mask } from './mask.ts'
import { isHidable } from './secret-value.ts'
import { readAt, type Span } from './span.ts'

const AFTER_NAME = /(?:\\{0,3}["'`])?\]?[ \t]{0,8}[:=,][ \t]{0,8}\[?[ \t]{0,8}(?:\\{0,3}["'`])?/y
const SCHEME = /([A-Za-z][A-Za-z0-9-]{1,24})[ \t]{1,4}/y
/** Decided on a first part before reading it all, as everywhere. */
const CREDENTIALS = { head: /[^\s"'`\\,;<>{}$()]{1,200}/y, whole: /[^\s"'`\\,;<>{}$()]+/y }
const PARAMETERS = { head: /[^\r\n'`\\]{1,200}/y, whole: /[^\r\n'`\\]+/y }
const PLAIN_SCHEMES = new Set(
  'bearer basic token bot apikey api-key key negotiate ntlm geniekey splunk'.split(' '),
)
const DETAILED_SCHEMES = new Set('digest aws4-hmac-sha256 oauth signature hawk hmac'.split(' '))

/** `Authorization: <scheme> <credentials>`, also as a JSON field or in code. `at` is the header's name. */
export function authorizationSpans(text: string, at: number, name: string): readonly Span[] {
  const separator = readAt(AFTER_NAME, text, at + name.length)
  if (!separator) return []
  const start = at + name.length + separator[0].length
  const scheme = readAt(SCHEME, text, start)
  const word = scheme?.[1]?.toLowerCase() ?? ''
  if (scheme && DETAILED_SCHEMES.has(word)) return credentialSpans(text, start + scheme[0].length, PARAMETERS)
  if (scheme && PLAIN_SCHEMES.has(word)) return credentialSpans(text, start + scheme[0].length, CREDENTIALS)
  return credentialSpans(text, start, CREDENTIALS, (head) => head.length >= 8 && /\d/.test(head))
}

function credentialSpans(
  text: string,
  start: number,
  { head, whole }: typeof CREDENTIALS,
  isSecret: (head: string) => boolean = (first) => !isWord(first),
): readonly Span[] {
  const first = readAt(head, text, start)?.[0] ?? ''
  if (!isHidable(first) || hasMask(first) || !isSecret(first)) return []
  const secret = readAt(whole, text, start)![0]
  return [{ start, end: start + secret.length, mask: mask(secret) }]
}

/** "Authorization: Bearer authentication" is a sentence. */
function isWord(text: string): boolean {
  return text.length < 16 && /^[A-Za-z]+[.]?$/.test(text) && !/[a-z][A-Z]/.test(text)
}

function hasMask(text: string): boolean {
  return text.startsWith('***') || text.startsWith('…')
}

const BEARER = /[ \t]{1,4}([A-Za-z0-9._~+/=-]{8,})/y

export function bearerSpans(text: string, at: number, word: string): readonly Span[] {
  const match = readAt(BEARER, text, at + word.length)
  const secret = match?.[1] ?? ''
  const mixesCases = secret.length >= 20 && /[a-z][A-Z]/.test(secret)
  if (!match || !(/\d/.test(secret) || mixesCases)) return []
  const end = match.index + match[0].length
  return [{ start: end - secret.length, end, mask: mask(secret) }]
}

const BASIC = /[ \t]{1,4}([A-Za-z0-9+/]{6,1024}={0,2})(?![A-Za-z0-9+/=…])/y

/** "Basic" is a common word: what follows must decode to `user:password`. */
export function basicSpans(text: string, at: number, word: string): readonly Span[] {
  const match = readAt(BASIC, text, at + word.length)
  const secret = match?.[1] ?? ''
  if (!match || !isBasicCredential(secret)) return []
  const end = match.index + match[0].length
  return [{ start: end - secret.length, end, mask: '***' }]
}

/** Whether it is the base64 of `user:password`. */
export function isBasicCredential(text: string): boolean {
  if (!/^[A-Za-z0-9+/]{6,1024}={0,2}$/.test(text)) return false
  return /^[\x20-\x7e]{1,}:[\x20-\x7e]{0,}$/.test(Buffer.from(text, 'base64').toString('latin1'))
}

const AFTER_COOKIE =
  /(?:(?:\\{0,3}["'`])?\]?[ \t]{0,8}(?::|,|=(?=\\{0,3}["'`]))|(?<=--cookie))[ \t]{0,8}\[?[ \t]{0,8}(?:\\{0,3}["'`])?/y
const COOKIE = /[; \t]{0,4}([^\s=;,:"'`\\(){}]{1,128})=([^\s;"'`\\]{0,})/y
const ATTRIBUTE = /[; \t]{0,4}(?:secure|httponly|partitioned)(?=[;\s"'`\\]|$)/iy
const ATTRIBUTES = new Set('path domain expires max-age samesite priority version'.split(' '))
const EXPIRES_REST = /[^;\r\n"'`\\]{0,40}/y

/** The values of the cookies in `Cookie: a=1; b=2` and `Set-Cookie: a=1; Path=/`; their names stay. */
export function cookieSpans(text: string, at: number, name: string): readonly Span[] {
  const separator = readAt(AFTER_COOKIE, text, at + name.length)
  if (!separator) return []
  const spans: Span[] = []
  let next = at + name.length + separator[0].length
  for (;;) {
    const attribute = readAt(ATTRIBUTE, text, next)
    if (attribute) {
      next += attribute[0].length
      continue
    }
    const pair = readAt(COOKIE, text, next)
    if (!pair) return spans
    const end = next + pair[0].length
    const value = pair[2]!
    const isAttribute = ATTRIBUTES.has(pair[1]!.toLowerCase())
    if (!isAttribute && isHidable(value)) spans.push({ start: end - value.length, end, mask: mask(value) })
    next = isAttribute ? end + readAt(EXPIRES_REST, text, end)![0].length : end
  }
}
