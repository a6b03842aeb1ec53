// Changes the strings of a JSON text in place. Everything else stays byte for byte: parsing and writing it again would
// round large numbers and reorder keys.
type RedactString = (text: string, name: string | null) => string

const QUOTE = 34
const BACKSLASH = 92
const OPENING = new Set([91, 123])
const CLOSING = new Set([93, 125])
const ARRAY = 91
const COLON = 58

/** `raw` must be valid JSON. A string in an array has the array's name. */
export function redactJson(raw: string, redactString: RedactString): string {
  const names: (string | null)[] = []
  let result = ''
  let copied = 0
  let name: string | null = null
  for (let at = 0; at < raw.length; at++) {
    const code = raw.charCodeAt(at)
    if (OPENING.has(code)) {
      names.push(name)
      if (code !== ARRAY) name = null
    } else if (CLOSING.has(code)) {
      name = names.pop() ?? null
    } else if (code === QUOTE) {
      const end = stringEnd(raw, at)
      const literal = raw.slice(at, end)
      if (isKey(raw, end)) name = decode(literal)
      else {
        const changed = redactLiteral(literal, name, redactString)
        if (changed !== literal) {
          result += raw.slice(copied, at) + changed
          copied = end
        }
      }
      at = end - 1
    }
  }
  return copied === 0 ? raw : result + raw.slice(copied)
}

function redactLiteral(literal: string, name: string | null, redactString: RedactString): string {
  const text = decode(literal)
  const changed = redactString(text, name)
  return changed === text ? literal : JSON.stringify(changed)
}

function decode(literal: string): string {
  return literal.includes('\\') ? JSON.parse(literal) : literal.slice(1, -1)
}

/** One past the closing quote of the string that opens at `start`. */
function stringEnd(raw: string, start: number): number {
  let end = raw.indexOf('"', start + 1)
  while (isEscaped(raw, end)) end = raw.indexOf('"', end + 1)
  return end + 1
}

function isEscaped(raw: string, at: number): boolean {
  let before = at
  while (raw.charCodeAt(before - 1) === BACKSLASH) before--
  return (at - before) % 2 === 1
}

function isKey(raw: string, end: number): boolean {
  let next = end
  while (raw.charCodeAt(next) <= 32) next++
  return raw.charCodeAt(next) === COLON
}
