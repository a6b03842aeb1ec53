import { isInsidePrivateKey } from './private-key-spans.ts'

/** What is held back at most. A line longer than this is given out in pieces, cut at a space where there is one. */
const MAX_HELD = 65_536

/** A single word that is longer is data, not a secret: it is not held until it ends. */
const MAX_WORD = 8_192

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
      if (!ANNOUNCES.test(rest)) return line + wholeWords(rest)
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

/** How much of a line is whole words. From the back: a regex from the front takes forever over a long word. */
function wholeWords(line: string): number {
  const words = Math.max(line.lastIndexOf(' '), line.lastIndexOf('\t'), line.lastIndexOf('\r')) + 1
  return line.length - words > MAX_WORD ? line.length : words
}
