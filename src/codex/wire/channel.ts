import type { TransportClosedError } from '../errors/index.ts'

/** The longest line we take from codex unless told otherwise; a longer one is skipped and reported. */
export const DEFAULT_MAX_LINE_BYTES = 64 * 1024 * 1024

/**
 * A two-way line pipe to one app-server: a child's stdio, a WebSocket. It knows nothing of JSON.
 * Hosts make channels; a `Connection` owns one and is its only reader.
 */
export interface Channel {
  /** Attaches the one reader. What arrived earlier is delivered first, in order. Call once. */
  read(reader: ChannelReader): void
  /** Queues one line, without its newline. After the channel has closed it does nothing. */
  send(line: string): void
  /** Ends the channel. The reader's `closed` is called exactly once, whoever ended it. */
  close(reason: TransportClosedError): void
}

/** What a channel calls, synchronously and in the order of the wire. Nothing is called after `closed`. */
export interface ChannelReader {
  line(text: string): void
  /** A line longer than the cap was skipped up to its newline. */
  oversize(bytes: number): void
  closed(reason: TransportClosedError): void
}
