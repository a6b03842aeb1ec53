// What people see: text on stdout, activity on stderr, and on a terminal one live status line below both.
import { stripVTControlCharacters, styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

export interface Output {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/** Writes to two streams that usually share one screen, so that neither tears the other's lines. */
export class Terminal {
  readonly #stdout: Output
  readonly #stderr: Output
  readonly #useColour: boolean
  /** Whether the last text left the cursor in the middle of a line. */
  #isMidLine = false
  #status = ''

  constructor(streams: { stdout: Output; stderr: Output; useColour: boolean }) {
    this.#stdout = streams.stdout
    this.#stderr = streams.stderr
    this.#useColour = streams.useColour
  }

  get hasStatusLine(): boolean {
    return this.#stderr.isTTY === true
  }

  /** Streams the answer. May stop anywhere in a line. */
  text(text: string): void {
    const shown = printable(text)
    if (shown === '') return
    this.#clearStatus()
    this.#stdout.write(shown)
    this.#isMidLine = !shown.endsWith('\n')
  }

  /** One line of activity, on a line of its own. */
  line(text: string, style?: Style): void {
    this.#clearStatus()
    this.endLine()
    this.#stderr.write(`${this.style(printable(text), style)}\n`)
  }

  /** Ends a line of text that was left open. */
  endLine(): void {
    if (this.#isMidLine) this.#stdout.write('\n')
    this.#isMidLine = false
  }

  /** Shows what goes on right now; replaced by the next one, gone before anything else is written. */
  status(text: string): void {
    if (!this.hasStatusLine || this.#isMidLine) return
    const shown = printable(text).slice(0, Math.max(10, (this.#stderr.columns ?? 80) - 1))
    if (shown === this.#status) return
    this.#clearStatus()
    this.#status = shown
    this.#stderr.write(this.style(shown, 'dim'))
  }

  clearStatus(): void {
    this.#clearStatus()
  }

  style(text: string, style?: Style): string {
    return style && this.#useColour ? styleText(style, text, { validateStream: false }) : text
  }

  #clearStatus(): void {
    if (this.#status !== '') this.#stderr.write('\r\u001b[2K')
    this.#status = ''
  }
}

/** Text from a model or a command must not steer the terminal: control characters other than tab and newline go. */
function printable(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\r\n/g, '\n')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
}
