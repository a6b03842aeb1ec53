// A value that follows its name in another way than by `=` or `:`. XML, lists of variables, netrc, SQL, calls.
import type { SecretName } from './secret-name.ts'
import { looksRandom } from './secret-value.ts'
import { readAt } from './span.ts'
import { type Name, readQuoted, readUnquoted, UNQUOTED, type Value, WHOLE_LINE } from './written-value.ts'

/** How far back a name's surroundings are looked at. */
const BEFORE = 320
const MIN_RANDOM = 16

type Reader = (text: string, name: Name, kind: SecretName) => Value | null

export const readTableValue: Reader = (text, name, kind) => {
  for (const read of READERS) {
    const value = read(text, name, kind)
    if (value) return value
  }
  return null
}

const ELEMENT = />([^<>\r\n]{1,512})<\//y

/** `<password>value</password>` */
const readElement: Reader = (text, { start, end }) => {
  const opens = text[start - 1] === '<' || /<[\w.-]{1,32}:$/.test(text.slice(Math.max(0, start - 34), start))
  return opens ? elementValue(readAt(ELEMENT, text, end), end + 1) : null
}

const NAMED = /(?:name|key)=\\{0,3}["']$/i
const ATTRIBUTE_VALUE = /\\{0,3}["'][ \t]{1,8}value=(?=\\{0,3}["'])/iy
const NAMED_ELEMENT = /(\\{0,3}["'][^<>\n]{0,64}>)([^<>\s]{1,512})<\//y

/** `<entry key="password">value</entry>`, `<add key="Password" value="value"/>` */
const readNamedElement: Reader = (text, { start, end }) => {
  if (!NAMED.test(text.slice(Math.max(0, start - 10), start))) return null
  const attribute = readAt(ATTRIBUTE_VALUE, text, end)
  if (attribute) return readQuoted(text, end + attribute[0].length)
  const element = readAt(NAMED_ELEMENT, text, end)
  if (!element) return null
  const at = end + element[1]!.length
  return { start: at, end: at + element[2]!.length, writing: 'quoted', rest: null }
}

const PLIST = /<\/key>(?:\s|\\[nrt]){0,40}<(?:string|data)>([^<>\r\n]{1,512})<\//y

/** `<key>password</key> <string>value</string>` */
const readPlist: Reader = (text, { start, end }) => {
  if (!text.startsWith('<key>', start - 5)) return null
  const match = readAt(PLIST, text, end)
  return match && elementValue(match, end + match[0].length - match[1]!.length - 2)
}

const LISTED = /\bname\\{0,3}["']?[ \t]{0,8}:[ \t]{0,8}\\{0,3}["']?$/i
const LISTED_VALUE =
  /\\{0,3}["']?,?(?:\s|\\n){0,40}[-+]?[ \t]{0,40}\\{0,3}["']?value\\{0,3}["']?[ \t]{0,8}:[ \t]{0,8}/iy

/** `name: DB_PASSWORD` and then `value: …`, as containers list their variables. */
const readListed: Reader = (text, { start, end }) => {
  if (!LISTED.test(text.slice(Math.max(0, start - 24), start))) return null
  const separator = readAt(LISTED_VALUE, text, end)
  if (!separator) return null
  const at = end + separator[0].length
  return readQuoted(text, at) ?? readUnquoted(text, at, UNQUOTED, 'assigned')
}

const GAP = /[ \t]{1,4}/y
const SQL_VALUE = /(?:[ \t]{1,4}|\([ \t]{0,4})(?=N?\\{0,3}')/y

/** `ALTER ROLE a PASSWORD 'value'` */
const readSql: Reader = (text, { end, text: name }, kind) => {
  if (kind !== 'password') return null
  const gap = readAt(SQL_VALUE, text, end)
  if (!gap || (gap[0].startsWith('(') && name !== 'PASSWORD')) return null
  const value = readQuoted(text, end + gap[0].length)
  return value && !/\s/.test(text.slice(value.start, value.end)) ? value : null
}

const LOGIN_BEFORE = /\blogin\s{1,40}\S{1,256}\s{1,40}(?:account\s{1,40}\S{1,256}\s{1,40})?$/
const LINE_BEFORE = /(?:^|[\r\n])[-+ \t]{0,8}$/

/** `machine host login name password value`; on a line of its own a value that is no word. */
const readNetrc: Reader = (text, { start, end, text: name }, kind) => {
  if (kind !== 'password' || !/^passw(?:or)?d$/.test(name)) return null
  const gap = readAt(GAP, text, end)
  const value = gap && readUnquoted(text, end + gap[0].length, WHOLE_LINE, 'assigned')
  if (!value) return null
  const before = text.slice(Math.max(0, start - BEFORE), start)
  if (LOGIN_BEFORE.test(before)) return value
  const isAlone =
    LINE_BEFORE.test(before) && /^[ \t]{0,8}(?:[\r\n]|$)/.test(text.slice(value.end, value.end + 9))
  return isAlone && /[\d!@#%^*+=~?$&]/.test(text.slice(value.start, value.end)) ? value : null
}

const CALLED = /(?:define|putenv|setenv|environ[\w.]{0,20})[ \t]{0,4}\([ \t]{0,4}["']$/i
const NEXT_ARGUMENT = /\\{0,3}["'],[ \t]{0,8}(?=\\{0,3}["'])/y

/** `define('DB_PASSWORD', 'value')`, `["--password", "value"]` */
const readArgument: Reader = (text, { start, end, text: name }) => {
  const comma = readAt(NEXT_ARGUMENT, text, end)
  const isNamed = comma && (name.startsWith('--') || CALLED.test(text.slice(Math.max(0, start - 40), start)))
  return isNamed ? readQuoted(text, end + comma[0].length) : null
}

/** `aws configure set aws_secret_access_key value`: only a value that nobody would write in a sentence. */
const readRandom: Reader = (text, { end }, kind) => {
  const gap = kind === 'likely' ? null : readAt(GAP, text, end)
  const value = gap && readUnquoted(text, end + gap[0].length, UNQUOTED, 'assigned')
  if (!value || value.end - value.start < MIN_RANDOM) return null
  return looksRandom(text.slice(value.start, value.end)) ? value : null
}

const READERS: readonly Reader[] = [
  readElement,
  readNamedElement,
  readPlist,
  readListed,
  readSql,
  readNetrc,
  readArgument,
  readRandom,
]

function elementValue(match: RegExpExecArray | null, start: number): Value | null {
  if (!match) return null
  return { start, end: start + match[1]!.length, writing: 'quoted', rest: null }
}
