import { isInsidePrivateKey } from './private-key-spans.ts'

/** What is held back at most. A line longer than this is given out in pieces, cut at a space where there is one. */
const MAX_HELD = 65_536

/** Words after which the rest of a line may be a secret. A secret that nothing announces is a single word. */
const ANNOUNCES =
  /key|token|secret|pass|pwd|auth|bearer|basic|cookie|credential|private|session|signature|sig=|curl|-u\b|--user|-----/i

/**
 * Redacts a text that comes in pieces, for secrets that lie across two of them. Gives out whole words; from a word that
 * announces a secret on only the whole line, and a private key in one piece.
 */
export class RedactingStream {
  readonly #redact: (text: string) => string
  #held = ''

  constructor(redact: (text: string) => string) {
    this.#redact = redact
  }

  push(piece: string): string {
    this.#held += piece
    return this.#release(this.#boundary())
  }

  /** What is still held back. */
  end(): string {
    return this.#release(this.#held.length)
  }

  #boundary(): number {
    const held = this.#held
    const line = held.lastIndexOf('\n') + 1
    if (!isInsidePrivateKey(held.slice(0, line))) {
      const rest = held.slice(line)
      const word = line + lastWord(rest)
      if (held.length - word <= MAX_HELD && !ANNOUNCES.test(rest)) return word
      if (line > 0) return line
    }
    if (held.length <= MAX_HELD) return 0
    return held.lastIndexOf(' ') + 1 || held.length
  }

  #release(length: number): string {
    const released = this.#held.slice(0, length)
    this.#held = this.#held.slice(length)
    return released && this.#redact(released)
  }
}

/** Where the last word begins. A regex that looks for it from the front takes forever over a long word. */
function lastWord(text: string): number {
  let start = text.length
  while (start > 0 && /\S/.test(text[start - 1]!)) start--
  return start
}
