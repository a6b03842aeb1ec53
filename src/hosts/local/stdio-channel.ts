import type { ChildProcessByStdio } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { type Channel, type ChannelReader, LineSplitter, TransportClosedError } from '../../codex/index.ts'
import { howItEnded } from '../owned-app-server.ts'
import { ReaderSlot } from '../reader-slot.ts'
import { refuseLineBreaks } from '../refuse-line-breaks.ts'
import { StderrTail } from './stderr-tail.ts'

export type PipedChild = ChildProcessByStdio<Writable, Readable, Readable>

const STDERR_LINES_IN_REASON = 12
/** What a dead process wrote is read for this long (in turns of the event loop): others may hold its pipes open. */
const DRAIN_TURNS = 50
const DRAIN_TURN_MS = 20
/** A pipe that ends is mostly the first sign of an exit; this long the exit, which says more, may take to show. */
const EXIT_AFTER_PIPE_END_MS = 500

/**
 * Lines over a child's stdin and stdout; its stderr is kept apart. When the process ends, the reader gets every
 * line it wrote, then one reason with the exit and the last of stderr. Ending the process is for the owner.
 */
export class StdioChannel implements Channel {
  readonly #child: PipedChild
  readonly #slot = new ReaderSlot()
  readonly #splitter: LineSplitter
  readonly #stderr = new StderrTail()
  readonly #onFirstOutput: (() => void) | undefined
  readonly #pipesClosed: Promise<unknown>
  #sawOutput = false
  /** Resolves when the process is dead and its stderr complete, or given up because others hold the pipe. */
  readonly drained: Promise<void>

  constructor(child: PipedChild, options: { maxLineBytes: number; onFirstOutput?: () => void }) {
    this.#child = child
    this.#onFirstOutput = options.onFirstOutput
    this.#splitter = new LineSplitter(this.#slot, options.maxLineBytes)
    child.stdin.on('error', (error: NodeJS.ErrnoException) => {
      void this.#pipeEnded(`codex takes no more input (${error.code})`, error)
    })
    child.stderr.on('data', (chunk: Buffer) => this.#stderr.push(chunk))
    this.#pipesClosed = Promise.all([closing(child.stdout), closing(child.stderr)])
    child.stderr.once('end', () => this.#stderr.end())
    child.stdout.once('end', () => {
      this.#splitter.end()
      void this.#pipeEnded('codex closed its output')
    })
    const { promise: exited, resolve } = Promise.withResolvers<void>()
    child.once('exit', () => {
      this.#takeOutput() // now or never: Node throws away what nobody listens for after an exit
      resolve()
    })
    this.drained = exited.then(() => this.#exited())
  }

  /** While codex lives nothing is taken from the pipe before this: what it wrote earlier waits there, bounded. */
  read(reader: ChannelReader): void {
    this.#slot.fill(reader)
    this.#takeOutput()
  }

  send(line: string): void {
    refuseLineBreaks(line)
    if (!this.#slot.isClosed && this.#child.stdin.writable) this.#child.stdin.write(`${line}\n`)
  }

  close(reason: TransportClosedError): void {
    if (this.#slot.isClosed) return
    this.#slot.closed(reason)
    this.#child.stdin.end()
    this.#takeOutput() // and drop it: a codex that cannot write cannot end
  }

  stderrTail(lines?: number): readonly string[] {
    return this.#stderr.last(lines)
  }

  #takeOutput(): void {
    if (this.#child.stdout.listenerCount('data') > 0) return
    this.#child.stdout.on('data', (chunk: Buffer) => {
      this.#splitter.push(chunk)
      if (!this.#sawOutput) this.#onFirstOutput?.()
      this.#sawOutput = true
    })
  }

  async #exited(): Promise<void> {
    await this.#drain()
    this.close(this.#reason(howItEnded(this.#child)))
    this.#child.stdout.destroy()
    this.#child.stderr.destroy()
  }

  /** Counted in turns, not by the clock: after a blocked event loop the pipes are read before we give up. */
  async #drain(): Promise<void> {
    let isOpen = true
    const closed = this.#pipesClosed.then(() => {
      isOpen = false
    })
    for (let turn = 0; turn < DRAIN_TURNS && isOpen; turn++)
      await Promise.race([closed, delay(DRAIN_TURN_MS)])
  }

  /** A codex that lives on without one of its pipes is of no more use. */
  async #pipeEnded(message: string, cause?: Error): Promise<void> {
    await delay(EXIT_AFTER_PIPE_END_MS, undefined, { ref: false })
    const hasExited = this.#child.exitCode !== null || this.#child.signalCode !== null
    if (!hasExited) this.close(this.#reason(message, cause))
  }

  #reason(message: string, cause?: Error): TransportClosedError {
    const stderrTail = this.stderrTail(STDERR_LINES_IN_REASON)
    return new TransportClosedError(message, { stderrTail, hasCodexEnded: true, cause })
  }
}

function closing(pipe: Readable): Promise<void> {
  pipe.on('error', () => {}) // 'close' follows
  return new Promise((resolve) => pipe.once('close', resolve))
}
