type RedactString = (text: string, name: string | null) => string

/** No real frame is deeper; what is, is hidden as a whole rather than let through unseen. */
const MAX_DEPTH = 500

/** Passes every string of a JSON-like value, with the name of its field, through `redactString`. Copies only on change. */
export function redactStrings(
  value: unknown,
  redactString: RedactString,
  name: string | null = null,
  depth = 0,
): unknown {
  if (typeof value === 'string') return redactString(value, name)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) return '***'
  if (Array.isArray(value)) {
    const changed = value.map((entry) => redactStrings(entry, redactString, name, depth + 1))
    return changed.some((entry, index) => entry !== value[index]) ? changed : value
  }
  const before = Object.entries(value)
  const after = before.map(
    ([key, field]) => [key, redactStrings(field, redactString, key, depth + 1)] as const,
  )
  return after.some(([, field], index) => field !== before[index]![1]) ? Object.fromEntries(after) : value
}
