// Where values of ours and of PostgreSQL's differ.

/** PostgreSQL's text cannot hold the character U+0000. This one is the picture of it, so that people see what was there. */
const NUL_SHOWN = '\u2400'

/** As PostgreSQL can hold it. Also what is only compared, so that it finds what was stored. */
export function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', NUL_SHOWN) : value
  return Array.isArray(value) ? value.map(storable) : value
}

/** int8, which pg gives as text. */
export function readInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} in the database is no safe integer`)
  return value
}
