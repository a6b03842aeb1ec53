export type Bindings = Readonly<Record<string, unknown>>

/** Replaces `$name` wherever it is known. A string that is nothing but the name becomes the value, whatever its type. */
export function fill(value: unknown, bindings: Bindings): unknown {
  if (typeof value === 'string') return fillText(value, bindings)
  if (Array.isArray(value)) return value.map((entry) => fill(entry, bindings))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, fill(entry, bindings)]))
}

function fillText(text: string, bindings: Bindings): unknown {
  if (!text.includes('$')) return text
  if (text.startsWith('$') && Object.hasOwn(bindings, text.slice(1))) return bindings[text.slice(1)]
  return text.replace(/\$(\w+)/g, (whole, name: string) => {
    return Object.hasOwn(bindings, name) ? String(bindings[name]) : whole
  })
}
