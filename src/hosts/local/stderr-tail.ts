import { StringDecoder } from 'node:string_decoder'
import { stripVTControlCharacters } from 'node:util'
import { redact } from '../../codex/index.ts'

const KEPT_LINES = 500
const MAX_LINE_CHARACTERS = 8 * 1024

/** The newest lines of a stream of text, colours and secrets removed; bounded in lines and in the length of each. */
export class StderrTail {
  readonly #decoder = new StringDecoder('utf8')
  #lines: string[] = []
  #partial = ''

  push(chunk: Buffer): void {
    const pieces = this.#decoder.write(chunk).split('\n')
    this.#extend(pieces[0]!)
    for (const piece of pieces.slice(1)) {
      this.#endLine()
      this.#extend(piece)
    }
  }

  end(): void {
    this.#extend(this.#decoder.end())
    this.#endLine()
  }

  /** Oldest first. */
  last(count = KEPT_LINES): readonly string[] {
    const lines = this.#partial ? [...this.#lines, clean(this.#partial)] : this.#lines
    // All of them at once: a private key has many lines.
    const safe = redact(lines.join('\n')).split('\n')
    return count > 0 && lines.length > 0 ? safe.slice(-Math.min(count, KEPT_LINES)) : []
  }

  #extend(piece: string): void {
    this.#partial += piece.slice(0, MAX_LINE_CHARACTERS - this.#partial.length)
  }

  #endLine(): void {
    const line = clean(this.#partial)
    this.#partial = ''
    if (line) this.#lines.push(line)
    // Trimmed in batches: shifting one by one would copy the array for every line.
    if (this.#lines.length >= 2 * KEPT_LINES) this.#lines = this.#lines.slice(-KEPT_LINES)
  }
}

function clean(line: string): string {
  return stripVTControlCharacters(line).trimEnd()
}
