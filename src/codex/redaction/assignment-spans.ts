// A name that announces a secret, and the value after it: `NAME=value`, `name: value`, `"name": "value"`, `--name value`.
import { isBasicCredential } from './header-spans.ts'
import { mask } from './mask.ts'
import { type SecretName, secretName } from './secret-name.ts'
import { isHidable, isSecretValue } from './secret-value.ts'
import { readAt, type Span } from './span.ts'
import { readTableValue } from './table-value.ts'
import {
  type Name,
  QUERY_VALUE,
  readQuoted,
  readUnquoted,
  UNQUOTED,
  type Value,
  WHOLE_LINE,
} from './written-value.ts'

const MAX_NAME = 64

const SEPARATOR = /(?:\\{0,3}["'`])?\]?([ \t]{0,8})(:=|=>|=(?![=~])|:(?!:|\/\/))([ \t]{0,8})/y
const FLAG_GAP = /[ \t]{1,4}(?![-=:])/y
/** Query parameters that sign or authorise without saying so. */
const QUERY_NAMES = new Set('token sig signature x-amz-signature x-goog-signature secret auth'.split(' '))
const MIN_QUERY_VALUE = 6
export const QUERY_SIGNATURE: RegExp = /[?&;](?:sig|auth|signature|x-amz-signature|x-goog-signature)=/gi

/** `at` and `found` are the telling part of the name; what comes before and after it is read here. */
export function assignmentSpans(text: string, at: number, found: string): readonly Span[] {
  const name = readName(text, at, at + found.length)
  if (isQuery(text, name)) return querySpans(text, name)
  if (name.text === 'auth') return basicSpansOf(text, name)
  const kind = isPassOption(text, name) ? 'password' : secretName(name.text)
  if (!kind) return []
  const value = readAssigned(text, name) ?? readFlagValue(text, name) ?? readTableValue(text, name, kind)
  if (!value || isCall(text, value)) return []
  return spanOf(text, value, kind)
}

/** `"auth": "<base64 of user:password>"`, as docker keeps it. */
function basicSpansOf(text: string, name: Name): readonly Span[] {
  const value = readAssigned(text, name)
  if (value?.writing !== 'quoted' || !isBasicCredential(text.slice(value.start, value.end))) return []
  return [wholeSpan(text, value)]
}

function spanOf(text: string, value: Value, kind: SecretName): readonly Span[] {
  return isSecretValue(text.slice(value.start, value.end), kind, value.writing)
    ? [wholeSpan(text, value)]
    : []
}

function wholeSpan(text: string, { start, end, rest }: Value): Span {
  const wholeEnd = rest ? end + (readAt(rest, text, end)?.[0].length ?? 0) : end
  return { start, end: wholeEnd, mask: mask(text.slice(start, wholeEnd)) }
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
  const value = readUnquoted(text, name.end + 1, QUERY_VALUE, 'assigned')
  const kind = QUERY_NAMES.has(name.text.toLowerCase()) ? 'certain' : secretName(name.text)
  if (!value || !kind) return []
  if (kind === 'likely') return spanOf(text, value, kind)
  const head = text.slice(value.start, value.end)
  const isSecret = isHidable(head) && (head.length >= MIN_QUERY_VALUE || /\d/.test(head))
  return isSecret ? [wholeSpan(text, value)] : []
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
  if (isPassOption(text, name)) return readUnquoted(text, start, UNQUOTED, 'assigned')
  const isAssigned = isTight && (isEnvironmentName || name.text === '_auth' || isLiteral(text, name))
  return readUnquoted(text, start, UNQUOTED, isAssigned ? 'assigned' : 'loose')
}

/** `--from-literal=password=value` of kubectl. */
function isLiteral(text: string, { start }: Name): boolean {
  return /--from-literal[= ]["']?$/.test(text.slice(Math.max(0, start - 20), start))
}

/** `-passin pass:value` of openssl. */
function isPassOption(text: string, { start, text: name }: Name): boolean {
  return (
    name === 'pass' && /-pass(?:in|out)?[ \t]{1,4}["']?$/.test(text.slice(Math.max(0, start - 16), start))
  )
}

/** `KEY=value` alone on its line: the value may have any character but a space. */
function readWholeLine(text: string, start: number, isEnvironmentName: boolean): Value | null {
  const value = readUnquoted(text, start, WHOLE_LINE, 'assigned')
  if (!value) return null
  const { end } = value
  const isWhole = value.rest !== null || end === text.length || /[\r\n\\]/.test(text.charAt(end))
  // A comma at the end makes it an argument in somebody's code; `;b=` the next part of a connection string.
  const isPart = /[,(]/.test(text.charAt(end - 1)) || /;\w{1,64}=/.test(text.slice(start, end))
  if (isWhole && !isPart) return value
  return readUnquoted(text, start, UNQUOTED, isEnvironmentName ? 'assigned' : 'loose')
}

/** `--password value`. Prose goes on with a word, so a word is no value. */
function readFlagValue(text: string, name: Name): Value | null {
  if (!name.text.startsWith('-')) return null
  const gap = readAt(FLAG_GAP, text, name.end)
  if (!gap) return null
  const start = name.end + gap[0].length
  return readQuoted(text, start) ?? readUnquoted(text, start, UNQUOTED, 'loose')
}

const LINE_BEGIN = /(?:[\r\n]|\\n)[-+>]?[ \t]{0,8}(?:(?:export|set|ENV|ARG|-|\+)[ \t]{1,4})?$/

function beginsLine(text: string, at: number): boolean {
  return LINE_BEGIN.test(at <= 24 ? `\n${text.slice(0, at)}` : text.slice(at - 24, at))
}

/** `token = read(file)`, `secret = env['X']`: code, whatever the name of the function. */
function isCall(text: string, { end, writing }: Value): boolean {
  return writing === 'loose' && (text[end] === '(' || text[end] === '[')
}
