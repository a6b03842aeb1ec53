/** codex 0.166 never answers to a schema that is nested some thousand deep. */
export const JSON_BOUNDS: JsonBounds = { depth: 100, characters: 256 * 1024 }

/** What is wrong with it as an object that codex is to take; null when nothing is. */
export function problemWithObject(value: unknown, bounds = JSON_BOUNDS): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be a JSON object'
  return whyTooMuch(value, bounds)
}

export interface JsonBounds {
  readonly depth: number
  /** Of keys, texts and everything in between, about as JSON would have them. */
  readonly characters: number
}

/** What is too much about a value that came as JSON; null when nothing is. Looks at no more than the bounds allow. */
export function whyTooMuch(value: unknown, { depth, characters }: JsonBounds): string | null {
  // Not recursive: what is nested deep enough would take the stack with it.
  const waiting: [unknown, number][] = [[value, 1]]
  let size = 0
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [inner, level] = next
    size += lengthOf(inner)
    if (size > characters) return `is larger than ${characters} characters`
    if (typeof inner !== 'object' || inner === null) continue
    if (level > depth) return `is nested deeper than ${depth}`
    for (const each of Object.values(inner)) waiting.push([each, level + 1])
  }
  return null
}

/** Without what is inside. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2
  if (Array.isArray(value)) return 2 + value.length
  if (typeof value !== 'object' || value === null) return 1
  return Object.keys(value).reduce((sum, key) => sum + key.length + 4, 2)
}
