// Values out of files of others, before anything is known of them.

export type Table = Readonly<Record<string, unknown>>

export function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

/** Numbers and booleans count as the text they are written as. */
export function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value.toWellFormed()
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint'
    ? String(value)
    : null
}

/** null when one of them is not a text. */
export function textsOf(value: unknown): string[] | null {
  if (!Array.isArray(value)) return null
  const texts = value.map(textOf)
  return texts.every((text) => text !== null) ? (texts as string[]) : null
}

/** What a path of keys leads to; undefined when it leads nowhere. */
export function valueAt(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (inner, key) => (isTable(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
    value,
  )
}
