// One entry into a client's file, or out of it. Pure: text in, text out. Everything else in the file stays as it is, byte for
// byte; a file that cannot be read is never written.
import { isDeepStrictEqual } from 'node:util'
import { getNodeValue, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { parse as parseToml, stringify as stringifyToml, TomlError } from 'smol-toml'
import { DrawbridgeError } from '../../codex/index.ts'
import { type ClientApp, ENTRY_NAME } from './client-apps.ts'
import { editJson } from './edit-json.ts'

export type Entry = Readonly<Record<string, unknown>>
type Shape = Pick<ClientApp, 'format' | 'key'>

/** The entry of our name; undefined when there is none. Throws `file-unreadable`. */
export function entryIn(text: string, { format, key }: Shape): unknown {
  return Object(contentOf(text, format)[key])[ENTRY_NAME]
}

/** With `entry` in place of what was there; null takes it out. Throws `file-unreadable`, or what cannot be done in it. */
export function withEntry(text: string, shape: Shape, entry: Entry | null): string {
  const value = contentOf(text, shape.format)
  const place = value[shape.key]
  if (place !== undefined && !isObject(place)) throw unreadable(`${shape.key} in it is not an object`)
  if (isDeepStrictEqual(plainCopy(Object(place)[ENTRY_NAME] ?? null), entry)) return text
  const edited = shape.format === 'toml' ? tomlWith(text, shape, entry) : jsonWith(text, shape, entry)
  verify(text, edited, { shape, entry })
  return edited
}

function jsonWith(text: string, { key }: Shape, entry: Entry | null): string {
  const bom = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const body = text.slice(bom.length)
  const whole = body.trim() === '' ? `{}${eolOf(body)}` : body
  return bom + editJson(whole, { key, name: ENTRY_NAME }, entry ?? undefined)
}

/** Codex writes one table for each server: ours is put at the end, and only a table that stands by itself is taken out. */
function tomlWith(text: string, shape: Shape, entry: Entry | null): string {
  const eol = eolOf(text)
  const table = `${shape.key}.${ENTRY_NAME}`
  const without = text.replace(tableOf(table), '')
  if (entry === null) return without
  const lines = [`[${table}]`, ...stringifyToml(entry).trim().split('\n')].join(eol)
  const gap = without === '' ? '' : without.endsWith(eol) ? eol : `${eol}${eol}`
  return `${without}${gap}${lines}${eol}`
}

/** The table with its keys, and the empty line before it. A comment or an empty line after them is not ours. */
function tableOf(table: string): RegExp {
  const header = `\\[${table.replaceAll('.', '\\.')}\\][ \\t]*(?:\\r?\\n|$)`
  const keys = '(?:(?![ \\t]*(?:\\[|#|\\r?\\n))[^\\n]+(?:\\n|$))*'
  return new RegExp(`(?:^|(?<=\\n))(?:\\r?\\n)?${header}${keys}`)
}

/** Nothing but the entry may have changed, by what a parser reads. */
function verify(
  before: string,
  after: string,
  { shape, entry }: { shape: Shape; entry: Entry | null },
): void {
  const { format, key } = shape
  const [old, now] = [before, after].map((text) => contentOf(text, format))
  const { [ENTRY_NAME]: _, ...others } = Object(old![key])
  const expected = { ...old, [key]: entry === null ? others : { ...others, [ENTRY_NAME]: entry } }
  // A table that has only our entry may be there afterwards, empty, or not.
  const found = { ...now, [key]: now![key] ?? {} }
  if (isDeepStrictEqual(plainCopy(found), plainCopy(expected))) return
  throw unreadable(
    `${key}.${ENTRY_NAME} is written in a way that cannot be changed without the rest: edit it by hand`,
  )
}

/** Tables of smol-toml and objects of jsonc-parser have no prototype. */
function plainCopy(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

function contentOf(text: string, format: Shape['format']): Readonly<Record<string, unknown>> {
  const body = text.replace(/^\uFEFF/, '')
  if (body.trim() === '') return {}
  const value = format === 'toml' ? tomlValue(body) : jsonValue(body)
  if (isObject(value)) return value
  throw unreadable('it is not an object')
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** By way of the tree: jsonc-parser's `parse` takes a property named `__proto__` for the prototype. */
function jsonValue(text: string): unknown {
  const errors: ParseError[] = []
  const tree = parseTree(text, errors, { allowTrailingComma: true })
  const [first] = errors
  if (tree && !first) return getNodeValue(tree)
  if (!first) return undefined
  const before = text.slice(0, first.offset).split('\n')
  throw unreadable(
    `${printParseErrorCode(first.error)} at line ${before.length}, column ${before.at(-1)!.length + 1}`,
  )
}

function tomlValue(text: string): unknown {
  try {
    return parseToml(text)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    throw unreadable(`it cannot be read at line ${error.line}, column ${error.column}`)
  }
}

function unreadable(why: string): DrawbridgeError {
  return new DrawbridgeError(why, { code: 'file-unreadable' })
}

function eolOf(text: string): string {
  return /\r\n/.test(text) ? '\r\n' : '\n'
}
