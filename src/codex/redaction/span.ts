/** A stretch of a text and what to show instead. */
export interface Span {
  readonly start: number
  readonly end: number
  readonly mask: string
}

/** Looks at one place in a text. `end` of what it returns is where the scan goes on. */
export type Look = (text: string, at: number, found: string) => readonly Span[]

/** Calls `look` wherever `pattern` (global) matches, and goes on after what it found. */
export function scan(text: string, pattern: RegExp, look: Look): Span[] {
  const spans: Span[] = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const next = pattern.lastIndex
    const found = look(text, match.index, match[0])
    spans.push(...found)
    pattern.lastIndex = Math.max(next, found.at(-1)?.end ?? 0)
  }
  return spans
}

/** Reads `pattern` (sticky) at exactly `at`. */
export function readAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** Where spans overlap, all they cover is hidden; the one that begins first says how. */
export function hide(text: string, spans: readonly Span[]): string {
  const ordered = spans.toSorted((a, b) => a.start - b.start || b.end - a.end)
  let result = ''
  let done = 0
  for (const { start, end, mask } of ordered) {
    if (start >= done) result += text.slice(done, start) + mask
    done = Math.max(done, end)
  }
  return result + text.slice(done)
}
