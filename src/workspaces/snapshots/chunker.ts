// Cuts a stream of bytes where its content says so, so that bytes that are inserted or removed change only the chunks around
// them. A rolling hash over the last 32 bytes decides; the same bytes give the same chunks on every machine.

/** Nothing is looked at before it, which saves more than half of the work. */
const MIN_BYTES = 192 * 1024
export const MAX_CHUNK_BYTES = 1024 * 1024
/** What is looked through at once: what is left of it after a cut is copied. */
const STEP_BYTES = 32 * 1024
/** 17 bits: a chunk has 320 KB on average. */
const MASK = 0xffff_8000 | 0
const WINDOW = 32

/** Numbers that look random, from xorshift with a fixed seed. */
const GEAR = (() => {
  const table = new Int32Array(256)
  let state = 0x9e37_79b9
  for (let at = 0; at < 256; at++) {
    for (let round = 0; round < 4; round++) {
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
    }
    table[at] = state
  }
  return table
})()

export class Chunker {
  readonly #fresh: () => Buffer
  #buffer: Buffer
  #length = 0
  /** Up to where it was looked for a cut, and the hash there. */
  #seen = 0
  #hash = 0

  /** `fresh` gives buffers of MAX_CHUNK_BYTES. */
  constructor(fresh: () => Buffer) {
    this.#fresh = fresh
    this.#buffer = fresh()
  }

  /** Calls `cut` with each chunk that is complete. It is the beginning of a buffer from `fresh`, which is not used here any more. */
  push(bytes: Uint8Array, cut: (chunk: Buffer) => void): void {
    for (let from = 0; from < bytes.length; ) {
      const step = this.#length < MIN_BYTES ? MIN_BYTES - this.#length : STEP_BYTES
      const taken = Math.min(bytes.length - from, MAX_CHUNK_BYTES - this.#length, step)
      this.#buffer.set(bytes.subarray(from, from + taken), this.#length)
      this.#length += taken
      from += taken
      for (let end = this.#nextCut(); end > 0; end = this.#nextCut()) this.#take(end, cut)
    }
  }

  /** What is left, at the end of the stream. */
  flush(cut: (chunk: Buffer) => void): void {
    if (this.#length > 0) this.#take(this.#length, cut)
  }

  #take(end: number, cut: (chunk: Buffer) => void): void {
    const full = this.#buffer
    this.#buffer = this.#fresh()
    full.copy(this.#buffer, 0, end, this.#length)
    this.#length -= end
    cut(full.subarray(0, end))
    this.#seen = 0
    this.#hash = 0
  }

  /** Where the first chunk ends; 0: not within what is there. */
  #nextCut(): number {
    const buffer = this.#buffer
    const length = this.#length
    let hash = this.#hash
    let at = Math.max(this.#seen, MIN_BYTES - WINDOW)
    for (; at < length; at++) {
      hash = ((hash << 1) + GEAR[buffer[at]!]!) | 0
      if ((hash & MASK) === 0 && at >= MIN_BYTES) return at + 1
    }
    if (length === MAX_CHUNK_BYTES) return length
    this.#seen = at
    this.#hash = hash
    return 0
  }
}
