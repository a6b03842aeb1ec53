// The person at the terminal: sees one question at a time, below what goes on, and answers with keys.
import type { Answer, Question } from '../../codex/index.ts'
import { cutToColumns, type Line, type Terminal } from '../screen/index.ts'
import type { Keyboard } from './keyboard.ts'
import type { Key, Prompt } from './prompt.ts'
import { promptFor } from './prompt-for.ts'

export interface PersonOptions {
  readonly terminal: Terminal
  readonly keyboard: Pick<Keyboard, 'listen' | 'release'>
  /** When it aborts nobody is asked any more. */
  readonly interrupted: AbortSignal
  /** How long a new question takes no keys: those were meant for something else. */
  readonly deafMs: number
}

/** What stands below a question at most: how many wait, a mistake, a hint, what is typed. */
const ENTRY_ROWS = 4

/** How a question is put. */
export interface Asking {
  readonly signal: AbortSignal
  /** Who asks, where there are several. */
  readonly from?: string
}

interface Asked {
  readonly prompt: Prompt
  readonly from: string | undefined
  readonly answer: (answer: Answer) => void
}

export class Person {
  readonly #options: PersonOptions
  /** The first one is on the screen. */
  readonly #asked: Asked[] = []
  #shown: Asked | null = null
  #isDeaf = false
  #timer: NodeJS.Timeout | undefined

  constructor(options: PersonOptions) {
    this.#options = options
    options.interrupted.addEventListener('abort', () => this.#leave(), { once: true })
  }

  /** Resolves with the answer. Rejects when the question no longer stands; it is gone from the screen then. */
  ask(question: Question, { signal, from }: Asking): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const asked: Asked = {
        prompt: promptFor(question),
        from,
        answer: (answer) => {
          signal.removeEventListener('abort', withdraw)
          this.#remove(asked)
          resolve(answer)
        },
      }
      const withdraw = () => {
        this.#remove(asked)
        reject(signal.reason)
      }
      if (signal.aborted) return reject(signal.reason)
      signal.addEventListener('abort', withdraw, { once: true })
      // After an interrupt the turn's end is what withdraws it.
      if (this.#options.interrupted.aborted) return
      this.#asked.push(asked)
      this.#show()
    })
  }

  /** The screen has another size. */
  redraw(): void {
    if (this.#shown) this.#draw(this.#shown)
  }

  #remove(asked: Asked): void {
    const index = this.#asked.indexOf(asked)
    if (index === -1) return
    this.#asked.splice(index, 1)
    this.#show()
  }

  #leave(): void {
    this.#asked.length = 0
    this.#show()
  }

  #show(): void {
    const { terminal, keyboard, deafMs } = this.#options
    const [first = null] = this.#asked
    if (first !== this.#shown) clearTimeout(this.#timer)
    if (!first) {
      if (this.#shown) terminal.panel(null)
      this.#shown = null
      return keyboard.release()
    }
    keyboard.listen((key) => this.#press(key))
    if (first !== this.#shown) {
      this.#shown = first
      this.#isDeaf = true
      this.#timer = setTimeout(() => this.#listen(), deafMs)
    }
    this.#draw(first)
  }

  #listen(): void {
    this.#isDeaf = false
    this.redraw()
  }

  #press(key: Key): void {
    const shown = this.#shown
    if (!shown || this.#isDeaf) return
    const pressed = shown.prompt.press(key)
    if (pressed && 'answer' in pressed) return shown.answer(pressed.answer)
    for (const { text, style } of pressed?.print ?? []) this.#options.terminal.line(text, style)
    this.#draw(shown)
  }

  /** The keys are shown from when they work. */
  #draw({ prompt, from }: Asked): void {
    const { terminal } = this.#options
    const { columns, rows } = terminal.room
    const head: Line[] = from === undefined ? [] : [{ text: cutToColumns(from, columns), style: 'dim' }]
    const lines = prompt.lines({ columns, rows: rows - ENTRY_ROWS - head.length })
    const others = this.#asked.length - 1
    const queue: Line[] = others > 0 ? [{ text: `  ${others} more to answer after this`, style: 'dim' }] : []
    terminal.panel([...head, ...lines, ...queue, ...(this.#isDeaf ? [{ text: '  …' }] : prompt.entry())])
  }
}
