// A name that announces a secret, and the value after it: `NAME=value`, `name: value`, `"name": "value"`, `--name value`.
import { mask } from './mask.ts'
import { type SecretName, secretName } from './secret-name.ts'
import { isHidable, isSecretValue, type Writing } from './secret-value.ts'
import { readAt, type Span } from './span.ts'

const MAX_NAME = 64
/** Enough to decide on. Deciding must not read on to the end, or a line of nothing but names would take forever. */
const MAX_UNQUOTED = 512
const MAX_QUOTED = 4096

const SEPARATOR = /(?:\\{0,3}["'`])?\]?([ \t]{0,8})(:=|=>|=(?![=~])|:(?!:|\/\/))([ \t]{0,8})/y
const OPENING_QUOTE = /[bBrRuU]?(\\{0,3})(["'`])/y
const UNQUOTED = new RegExp(`[^\\s"'\`\\\\,;&|(){}[\\]<>]{1,${MAX_UNQUOTED}}`, 'y')
const UNQUOTED_REST = /[^\s"'`\\,;&|(){}[\]<>]{1,}/y
const WHOLE_LINE = new RegExp(`[^\\s"'\`\\\\]{1,${MAX_UNQUOTED}}`, 'y')
const WHOLE_LINE_REST = /[^\s"'`\\]{1,}/y
const QUERY_VALUE = new RegExp(`[^\\s"'\`\\\\&#<>()]{1,${MAX_UNQUOTED}}`, 'y')
const QUERY_VALUE_REST = /[^\s"'`\\&#<>()]{1,}/y
const FLAG_GAP = /[ \t]{1,4}(?![-=:])/y
/** Query parameters that sign or authorise without saying so. */
const QUERY_NAMES = new Set('token sig signature x-amz-signature x-goog-signature secret auth'.split(' '))
const MIN_QUERY_VALUE = 6
export const QUERY_SIGNATURE: RegExp = /[?&;](?:sig|auth|signature|x-amz-signature|x-goog-signature)=/gi

interface Value {
  readonly start: number
  readonly end: number
  readonly writing: Writing
}

interface Name {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** `at` and `found` are a telling part of the name; the rest of it is read here. */
export function assignmentSpans(text: string, at: number, found: string): readonly Span[] {
  const name = readName(text, at, at + found.length)
  if (isQuery(text, name)) return querySpans(text, name)
  const kind = secretName(name.text)
  if (!kind) return []
  const value = readAssigned(text, name) ?? readFlagValue(text, name)
  if (!value || isCall(text, value)) return []
  return spanOf(text, value, kind)
}

function spanOf(text: string, { start, end, writing }: Value, kind: SecretName): readonly Span[] {
  const secret = text.slice(start, end)
  return isSecretValue(secret, kind, writing) ? [{ start, end, mask: mask(secret) }] : []
}

function readName(text: string, from: number, to: number): Name {
  let start = from
  let end = to
  while (start > 0 && from - start < MAX_NAME && isNameCharacter(text.charCodeAt(start - 1))) start--
  while (end - to < MAX_NAME && isNameCharacter(text.charCodeAt(end))) end++
  return { start, end, text: text.slice(start, end) }
}

function isNameCharacter(code: number): boolean {
  const isLetter = (code | 32) >= 97 && (code | 32) <= 122
  return isLetter || (code >= 48 && code <= 57) || code === 95 || code === 45 || code === 46
}

/** After `?` or `&`, also when that is escaped for HTML. */
function isQuery(text: string, { start, end }: Name): boolean {
  if (text[end] !== '=' || start === 0) return false
  return '?&'.includes(text[start - 1]!) || text.startsWith('&amp;', start - 5)
}

function querySpans(text: string, name: Name): readonly Span[] {
  const start = name.end + 1
  const head = readAt(QUERY_VALUE, text, start)?.[0] ?? ''
  const kind = QUERY_NAMES.has(name.text.toLowerCase()) ? 'certain' : secretName(name.text)
  const isSecret =
    kind === 'likely' || kind === null
      ? kind !== null && isSecretValue(head, kind, 'assigned')
      : isHidable(head) && (head.length >= MIN_QUERY_VALUE || /\d/.test(head))
  if (!isSecret) return []
  const end = endOf(QUERY_VALUE_REST, text, start)
  return [{ start, end, mask: mask(text.slice(start, end)) }]
}

function readAssigned(text: string, name: Name): Value | null {
  const separator = readAt(SEPARATOR, text, name.end)
  if (!separator) return null
  const start = separator.index + separator[0].length
  const quoted = readQuoted(text, start)
  if (quoted) return quoted
  const isTight = separator[2] === '=' && separator[1] === '' && separator[3] === ''
  const isEnvironmentName = /^[A-Z][A-Z0-9_]+$/.test(name.text)
  if (isTight && beginsLine(text, name.start)) return readWholeLine(text, start, isEnvironmentName)
  return readUnquoted(text, start, isTight && isEnvironmentName ? 'assigned' : 'loose')
}

/** `KEY=value` alone on its line: the value may have any character but a space. */
function readWholeLine(text: string, start: number, isEnvironmentName: boolean): Value | null {
  const head = readAt(WHOLE_LINE, text, start)?.[0]
  if (head === undefined) return null
  const end = endOf(WHOLE_LINE_REST, text, start)
  const isWhole = end === text.length || /[\r\n\\]/.test(text.charAt(end))
  // A comma at the end makes it an argument in somebody's code; `;b=` the next part of a connection string.
  if (isWhole && !/[,(]/.test(text.charAt(end - 1)) && !/;\w{1,64}=/.test(head))
    return { start, end, writing: 'assigned' }
  return readUnquoted(text, start, isEnvironmentName ? 'assigned' : 'loose')
}

function readUnquoted(text: string, start: number, writing: Writing): Value | null {
  const head = readAt(UNQUOTED, text, start)?.[0]
  if (head === undefined) return null
  const end = head.length < MAX_UNQUOTED ? start + head.length : endOf(UNQUOTED_REST, text, start)
  return { start, end, writing }
}

/** Up to the same quote, on the same line. One that is cut short reaches to the next space. */
function readQuoted(text: string, at: number): Value | null {
  const opening = readAt(OPENING_QUOTE, text, at)
  if (!opening) return null
  const start = at + opening[0].length
  const end = closingQuote(text, start, opening[2]!, opening[1]!.length)
  if (end !== null) return { start, end, writing: 'quoted' }
  return readUnquoted(text, start, 'quoted')
}

function closingQuote(text: string, start: number, quote: string, escapes: number): number | null {
  const limit = Math.min(text.length, start + MAX_QUOTED)
  let backslashes = 0
  for (let at = start; at < limit; at++) {
    const character = text[at]
    if (character === '\n') return null
    if (character === quote && (escapes > 0 ? backslashes <= escapes : backslashes % 2 === 0)) {
      return at - backslashes
    }
    backslashes = character === '\\' ? backslashes + 1 : 0
  }
  return null
}

/** `--password value`. Prose goes on with a word, so a word is no value. */
function readFlagValue(text: string, name: Name): Value | null {
  if (!name.text.startsWith('--')) return null
  const gap = readAt(FLAG_GAP, text, name.end)
  if (!gap) return null
  const start = name.end + gap[0].length
  return readQuoted(text, start) ?? readUnquoted(text, start, 'loose')
}

function endOf(rest: RegExp, text: string, start: number): number {
  return start + (readAt(rest, text, start)?.[0].length ?? 0)
}

const LINE_BEGIN = /(?:[\r\n]|\\n)[ \t]{0,8}(?:(?:export|set|ENV|ARG|-|\+)[ \t]{1,4})?$/

function beginsLine(text: string, at: number): boolean {
  return LINE_BEGIN.test(at <= 24 ? `\n${text.slice(0, at)}` : text.slice(at - 24, at))
}

/** `token = read(file)`, `secret = env['X']`: code, whatever the name of the function. */
function isCall(text: string, { end, writing }: Value): boolean {
  return writing === 'loose' && (text[end] === '(' || text[end] === '[')
}
