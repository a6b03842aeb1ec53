// Values out of TOML and JSON as text, whole and exact.
import { isTable } from '../untyped.ts'

const MAX_DEPTH = 50
const BARE_KEY = /^[A-Za-z0-9_-]+$/

export interface Setting {
  /** Dotted, as TOML writes it. */
  readonly key: string
  readonly value: string
}

/** Every value below, with the key that leads to it. Throws a RangeError on what is nested too deep to be read by a person. */
export function settingsBelow(key: string, value: unknown, depth = 0): Setting[] {
  if (depth > MAX_DEPTH) throw new RangeError('is nested too deep')
  if (!isTable(value)) return [{ key, value: valueText(value) }]
  const entries = Object.entries(value)
  if (entries.length === 0 && key !== '') return [{ key, value: '{}' }]
  return entries.flatMap(([name, inner]) => settingsBelow(joinKey(key, name), inner, depth + 1))
}

export function joinKey(key: string, name: string): string {
  const part = BARE_KEY.test(name) ? name : JSON.stringify(name)
  return key === '' ? part : `${key}.${part}`
}

/** One line: strings are quoted, so a newline in one is `\n`. */
function valueText(value: unknown, depth = 0): string {
  if (depth > MAX_DEPTH) throw new RangeError('is nested too deep')
  if (Array.isArray(value)) return `[${value.map((each) => valueText(each, depth + 1)).join(', ')}]`
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'bigint' || typeof value === 'number') return String(value)
  if (!isTable(value)) return JSON.stringify(value) ?? 'null'
  const entries = Object.entries(value).map(
    ([name, inner]) => `${joinKey('', name)} = ${valueText(inner, depth + 1)}`,
  )
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}
