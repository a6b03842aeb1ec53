// What a hook writes, on its way into the log: in batches, without secrets, of a long output the beginning and the end.
import { createRedactor, RedactingStream } from '../../codex/index.ts'

export type OutputStream = 'stdout' | 'stderr'
export interface OutputPiece {
  readonly stream: OutputStream
  readonly text: string
}

/** Characters. */
const HEAD = 192 * 1024
const TAIL = 16 * 1024
const BATCH = 16 * 1024
const BATCH_MS = 250
const redactor = createRedactor()

export class HookOutput {
  readonly #send: (pieces: readonly OutputPiece[]) => void
  readonly #live = { stdout: new RedactingStream(redactor), stderr: new RedactingStream(redactor) }
  /** What came behind the beginning: its end, and how long it was. */
  readonly #rest = { stdout: { tail: '', length: 0 }, stderr: { tail: '', length: 0 } }
  #headLeft = HEAD
  #pieces: OutputPiece[] = []
  #pending = 0
  #timer: NodeJS.Timeout | null = null
  #bytes = 0
  #hasEnded = false

  constructor(send: (pieces: readonly OutputPiece[]) => void) {
    this.#send = send
  }

  get bytes(): number {
    return this.#bytes
  }

  write(text: string, stream: OutputStream = 'stdout'): void {
    if (this.#hasEnded) return
    this.#bytes += Buffer.byteLength(text)
    const head = text.slice(0, this.#headLeft)
    this.#headLeft -= head.length
    if (head !== '') this.#add(stream, this.#live[stream].push(head))
    const more = text.slice(head.length)
    if (more === '') return
    const rest = this.#rest[stream]
    rest.length += more.length
    rest.tail = (rest.tail + more).slice(-TAIL)
  }

  /** Sends what is left. What is written later is lost. */
  end(): void {
    this.#hasEnded = true
    for (const stream of ['stdout', 'stderr'] as const) this.#finish(stream)
    this.#flush()
  }

  #finish(stream: OutputStream): void {
    const { tail, length } = this.#rest[stream]
    const live = this.#live[stream]
    if (length <= tail.length) return this.#add(stream, live.push(tail) + live.end())
    // It may begin within a secret.
    const end = new RedactingStream(redactor, { joinsMidway: true })
    const shown = end.push(tail) + end.end()
    this.#add(stream, `${live.end()}\n[… ${length - tail.length} characters left out …]\n${shown}`)
  }

  #add(stream: OutputStream, text: string): void {
    if (text === '') return
    const last = this.#pieces.at(-1)
    if (last?.stream === stream) this.#pieces[this.#pieces.length - 1] = { stream, text: last.text + text }
    else this.#pieces.push({ stream, text })
    this.#pending += text.length
    if (this.#pending >= BATCH) return this.#flush()
    this.#timer ??= setTimeout(() => this.#flush(), BATCH_MS)
  }

  #flush(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#pending = 0
    const pieces = this.#pieces
    this.#pieces = []
    if (pieces.length > 0) this.#send(pieces)
  }
}
