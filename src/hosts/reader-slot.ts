import type { ChannelReader, TransportClosedError } from '../codex/index.ts'

type Call = (reader: ChannelReader) => void

/** The place of a channel's one reader: keeps what arrives before it is there, and lets nothing follow `closed`. */
export class ReaderSlot implements ChannelReader {
  #reader: ChannelReader | null = null
  #early: Call[] = []
  #isClosed = false

  get isClosed(): boolean {
    return this.#isClosed
  }

  fill(reader: ChannelReader): void {
    if (this.#reader) throw new Error('this channel already has a reader')
    this.#reader = reader
    for (const call of this.#early) call(reader)
    this.#early = []
  }

  line(text: string): void {
    this.#deliver((reader) => reader.line(text))
  }

  oversize(bytes: number): void {
    this.#deliver((reader) => reader.oversize(bytes))
  }

  closed(reason: TransportClosedError): void {
    this.#deliver((reader) => reader.closed(reason))
    this.#isClosed = true
  }

  #deliver(call: Call): void {
    if (this.#isClosed) return
    if (this.#reader) call(this.#reader)
    else this.#early.push(call)
  }
}
