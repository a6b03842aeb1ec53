// NDJSON framing: bytes in, lines out. Linear in the bytes, whatever the chunk borders: a partial line is kept as
// the chunks it came in and joined once, when its newline arrives.

const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d

export interface LineReceiver {
  line(text: string): void
  oversize(bytes: number): void
}

/** Splits a byte stream into lines. Empty lines are dropped, a trailing `\r` is cut, an overlong line is skipped. */
export class LineSplitter {
  readonly #maxLineBytes: number
  readonly #receiver: LineReceiver
  #partial: Buffer[] = []
  #partialBytes = 0

  constructor(receiver: LineReceiver, maxLineBytes: number) {
    this.#receiver = receiver
    this.#maxLineBytes = maxLineBytes
  }

  push(chunk: Buffer): void {
    let start = 0
    let newline = chunk.indexOf(NEWLINE)
    if (this.#partialBytes > 0 && newline !== -1) {
      this.#keep(chunk, 0, newline)
      this.#endPartial()
      start = newline + 1
      newline = chunk.indexOf(NEWLINE, start)
    }
    while (newline !== -1) {
      this.#emit(chunk, start, newline)
      start = newline + 1
      newline = chunk.indexOf(NEWLINE, start)
    }
    if (start < chunk.length) this.#keep(chunk, start, chunk.length)
  }

  /** The stream has ended: a last line without a newline still counts. */
  end(): void {
    if (this.#partialBytes > 0) this.#endPartial()
  }

  #keep(chunk: Buffer, start: number, end: number): void {
    this.#partialBytes += end - start
    if (this.#partialBytes > this.#maxLineBytes) this.#partial = []
    else if (end > start) this.#partial.push(chunk.subarray(start, end))
  }

  #endPartial(): void {
    const bytes = this.#partialBytes
    const parts = this.#partial
    this.#partialBytes = 0
    this.#partial = []
    if (bytes > this.#maxLineBytes) return this.#receiver.oversize(bytes)
    const line = parts.length === 1 ? parts[0]! : Buffer.concat(parts, bytes)
    this.#emit(line, 0, line.length)
  }

  #emit(bytes: Buffer, start: number, end: number): void {
    if (end - start > this.#maxLineBytes) return this.#receiver.oversize(end - start)
    if (end > start && bytes[end - 1] === CARRIAGE_RETURN) end--
    if (end > start) this.#receiver.line(bytes.toString('utf8', start, end))
  }
}
