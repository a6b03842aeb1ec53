// JSON text that depends on the value alone: keys sorted, no spaces, non-ASCII kept. The same call replayed gives the
// same bytes, which is what prompt caches compare.

/** Deeper than any real item; below it a value is replaced, so that a hostile one cannot exhaust the stack. */
const MAX_DEPTH = 100

/** Takes anything JSON can say, and never throws on it. What JSON cannot say becomes null, or is left out of objects. */
export function stableJson(value: unknown, depth = 0): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null'
  if (typeof value === 'boolean') return String(value)
  if (typeof value !== 'object' || value === null) return 'null'
  if (depth >= MAX_DEPTH) return '"…"'
  if (Array.isArray(value)) return `[${value.map((entry) => stableJson(entry, depth + 1)).join(',')}]`
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, field]) => `${JSON.stringify(key)}:${stableJson(field, depth + 1)}`)
  return `{${fields.join(',')}}`
}

/** The same value with every string passed through `change`. */
export function mapStrings(value: unknown, change: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null || depth >= MAX_DEPTH) return value
  if (Array.isArray(value)) return value.map((entry) => mapStrings(entry, change, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key, mapStrings(field, change, depth + 1)]),
  )
}
