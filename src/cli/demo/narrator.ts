import { setTimeout as delay } from 'node:timers/promises'
import type { Terminal } from '../terminal.ts'

/** What a line costs to read, before the next one comes. */
const MS_PER_CHARACTER = 22
const BREATH_MS = 700
const WIDTH = 76

export interface NarratorOptions {
  /** Off: everything at once, for pipes and the hurried. */
  readonly isPaced: boolean
  readonly signal: AbortSignal
}

/** Tells the tour, at the pace of a reader. Every method rejects when the signal aborts. */
export class Narrator {
  readonly #terminal: Terminal
  readonly #options: NarratorOptions

  constructor(terminal: Terminal, options: NarratorOptions) {
    this.#terminal = terminal
    this.#options = options
  }

  /** Begins a scene, and says what it is about. */
  async scene(title: string, ...lines: readonly string[]): Promise<void> {
    this.#terminal.line('')
    this.#terminal.line(`${title} ${'─'.repeat(Math.max(0, WIDTH - title.length - 1))}`, ['bold', 'blue'])
    await this.say(...lines)
    this.#terminal.line('')
  }

  async say(...lines: readonly string[]): Promise<void> {
    for (const line of lines) {
      this.#terminal.line(`▎ ${line}`, 'blue')
      await this.#pause(line.length * MS_PER_CHARACTER)
    }
    await this.#pause(BREATH_MS)
  }

  /** What comes of a turn that was just shown. */
  async conclude(...lines: readonly string[]): Promise<void> {
    this.#terminal.line('')
    await this.say(...lines)
  }

  /** What the user types in this scene. */
  async prompt(text: string): Promise<void> {
    this.#terminal.line(`› ${text}`, 'bold')
    await this.#pause(BREATH_MS)
  }

  /** Something to keep: a file, a list. */
  async show(...lines: readonly string[]): Promise<void> {
    for (const line of lines) this.#terminal.line(`  ${line}`)
    await this.#pause(lines.join().length * MS_PER_CHARACTER)
  }

  async #pause(ms: number): Promise<void> {
    const { isPaced, signal } = this.#options
    signal.throwIfAborted()
    if (isPaced) await delay(ms, undefined, { signal })
  }
}
