// What people see: text on stdout, activity on stderr, and on a terminal a live area below both: a status line, or a
// panel that waits for an answer.
import { styleText } from 'node:util'
import { onScreen, printable } from './printable.ts'
import { screenRows } from './screen-rows.ts'

type Style = Parameters<typeof styleText>[0]

export interface Output {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
  write(text: string): unknown
}

/** One line of a panel. */
export interface Line {
  readonly text: string
  readonly style?: Style
}

/** Writes to two streams that usually share one screen, so that neither tears the other's lines. */
export class Terminal {
  readonly #stdout: Output
  readonly #stderr: Output
  readonly #useColour: boolean
  /** Whether the last text left the cursor in the middle of a line. */
  #isMidLine = false
  #status = ''
  #panel: readonly Line[] | null = null
  /** An unfinished line of text that came while there is a panel. */
  #held = ''
  /** The rows of the live area, as they were written. */
  #live: readonly string[] = []

  constructor(streams: { stdout: Output; stderr: Output; useColour: boolean }) {
    this.#stdout = streams.stdout
    this.#stderr = streams.stderr
    this.#useColour = streams.useColour
  }

  get hasStatusLine(): boolean {
    return this.#stderr.isTTY === true
  }

  /** How many columns and rows a panel may take. */
  get room(): { columns: number; rows: number } {
    // Both are 0 where nobody has told the terminal its size.
    return { columns: (this.#stderr.columns || 80) - 1, rows: (this.#stderr.rows || 24) - 1 }
  }

  /** Streams the answer. May stop anywhere in a line. In a file its letters stay what they are. */
  text(text: string): void {
    const shown = this.#stdout.isTTY ? onScreen(text) : printable(text)
    if (shown === '') return
    if (this.#panel && this.#stdout.isTTY) return this.#textAbovePanel(shown)
    if (!this.#panel) this.#erase()
    this.#stdout.write(shown)
    this.#isMidLine = !shown.endsWith('\n')
  }

  /** One line of activity, on a line of its own. */
  line(text: string, style?: Style): void {
    this.endLine()
    this.#erase()
    this.#stderr.write(`${this.style(onScreen(text), style)}\n`)
    this.#drawPanel()
  }

  /** Ends a line of text that was left open. */
  endLine(): void {
    if (this.#held !== '') return this.#textAbovePanel('\n')
    if (this.#isMidLine) this.#stdout.write('\n')
    this.#isMidLine = false
  }

  /** Shows what goes on right now; replaced by the next one, gone before anything else is written. */
  status(text: string): void {
    if (!this.hasStatusLine || this.#isMidLine || this.#panel) return
    const shown = onScreen(text).slice(0, Math.max(10, this.room.columns))
    if (shown === this.#status) return
    this.#erase()
    this.#status = shown
    this.#live = [shown]
    this.#stderr.write(this.style(shown, 'dim'))
  }

  clearStatus(): void {
    if (!this.#panel) this.#erase()
  }

  /** Keeps these lines below all output until they are replaced, or taken away with null. The cursor stays at their end. */
  panel(lines: readonly Line[] | null): void {
    this.#erase()
    if (lines && this.#isMidLine && this.#stdout.isTTY) this.endLine()
    this.#panel = lines
    if (lines) return this.#drawPanel()
    const held = this.#held
    this.#held = ''
    if (held !== '') this.text(held)
  }

  style(text: string, style?: Style): string {
    return style && this.#useColour ? styleText(style, text, { validateStream: false }) : text
  }

  /** Whole lines go above; the rest is shown as the panel's first line, until it is whole too. */
  #textAbovePanel(text: string): void {
    const all = this.#held + text
    const end = all.lastIndexOf('\n') + 1
    this.#erase()
    this.#held = all.slice(end)
    if (end > 0) this.#stdout.write(all.slice(0, end))
    this.#drawPanel()
  }

  #drawPanel(): void {
    if (!this.#panel) return
    const { columns, rows } = this.room
    const lines = this.#held === '' ? this.#panel : [{ text: this.#held }, ...this.#panel]
    const drawn = lines.flatMap(({ text, style }) =>
      onScreen(text)
        .split('\n')
        .flatMap((line) => screenRows(line, columns))
        .map((row) => ({ row, style })),
    )
    // What has scrolled off the top cannot be erased.
    const fitting = drawn.slice(-rows)
    this.#live = fitting.map(({ row }) => row)
    this.#stderr.write(fitting.map(({ row, style }) => this.style(row, style)).join('\n'))
  }

  #erase(): void {
    // A terminal that has become narrower since has wrapped what was written.
    const columns = this.#stderr.columns || 80
    const rows = this.#live.flatMap((row) => screenRows(row, columns)).length
    const up = rows > 1 ? `\u001b[${rows - 1}A` : ''
    if (rows > 0) this.#stderr.write(`\r${up}\u001b[J`)
    this.#live = []
    this.#status = ''
  }
}
