// Values as TOML, on one line each.

export type TomlValue =
  | string
  | number
  | bigint
  | boolean
  | Date
  | readonly TomlValue[]
  | { readonly [key: string]: TomlValue }

const BARE_KEY = /^[A-Za-z0-9_-]+$/

export function tomlKey(name: string): string {
  return BARE_KEY.test(name) ? name : tomlString(name)
}

/** JSON's escapes are TOML's, but for DEL and lone surrogates, which TOML has no place for. */
function tomlString(text: string): string {
  return JSON.stringify(text.toWellFormed()).replaceAll('\u007f', '\\u007F')
}

export function tomlValue(value: TomlValue): string {
  if (typeof value === 'string') return tomlString(value)
  if (typeof value === 'number') return tomlNumber(value)
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(', ')}]`
  const fields = Object.entries(value).map(
    ([key, each]) => `${tomlKey(key)} = ${tomlValue(each as TomlValue)}`,
  )
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}

function tomlNumber(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  // 1e21 is a float in TOML only with a dot or an exponent, which String writes.
  return String(value)
}
