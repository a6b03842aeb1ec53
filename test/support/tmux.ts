// A program in a real terminal emulator: tmux answers what a full-screen program asks of its terminal, and keeps its screen.
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { expect, onTestFinished } from 'vitest'
import { readyProgram } from './ready-program.ts'

const COLUMNS = 110
const ROWS = 40
const PATIENCE_MS = 30_000
const ANSWER_EVERY_MS = 3_000

interface Options {
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
}

export class TmuxRun {
  readonly #tmux: string
  readonly #server = `test-${randomUUID()}`

  constructor(command: readonly string[], { env, cwd }: Options) {
    this.#tmux = readyProgram({
      name: 'tmux',
      packages: ['tmux'],
      programs: ['tmux'],
      advice: 'install tmux',
    })
    // What it says after the end stays on the screen.
    const line = `${command.map(quoted).join(' ')}; echo "left with $?"; exec cat`
    const size = ['-x', String(COLUMNS), '-y', String(ROWS)]
    const started = spawnSync(
      this.#tmux,
      ['-L', this.#server, '-f', '/dev/null', 'new-session', '-d', ...size, line],
      { cwd, env: { ...process.env, ...env, SHELL: '/bin/sh' }, encoding: 'utf8' },
    )
    onTestFinished(() => this.kill())
    expect(started).toMatchObject({ status: 0, stderr: '' })
  }

  /** What is on the screen now. */
  get screen(): string {
    return this.#ask('capture-pane', '-p')
  }

  async shows(text: string | RegExp): Promise<void> {
    const matched = expect.poll(() => this.screen, { timeout: PATIENCE_MS, interval: 50 })
    await (typeof text === 'string' ? matched.toContain(text) : matched.toMatch(text))
  }

  async hides(text: string): Promise<void> {
    await expect.poll(() => this.screen, { timeout: PATIENCE_MS, interval: 50 }).not.toContain(text)
  }

  /** A message and Enter, as a person types them: the program takes what comes at once for something pasted. */
  async say(text: string): Promise<void> {
    this.#ask('send-keys', '-l', text)
    await this.shows(new RegExp(`› ${text}`))
    this.press('Enter')
  }

  /** A key for a question on the screen, until it is gone: codex drops keys that come while it draws its first screen. */
  async answer(question: string, key: string): Promise<void> {
    let pressedAt = 0
    const isGone = () => {
      if (!this.screen.includes(question)) return true
      if (performance.now() - pressedAt > ANSWER_EVERY_MS) {
        this.press(key)
        pressedAt = performance.now()
      }
      return false
    }
    await expect.poll(isGone, { timeout: PATIENCE_MS, interval: 50 }).toBe(true)
  }

  press(...keys: readonly string[]): void {
    this.#ask('send-keys', ...keys)
  }

  /** Ends the terminal with what runs in it, at once. */
  kill(): void {
    this.#ask('kill-server')
  }

  #ask(...args: readonly string[]): string {
    return spawnSync(this.#tmux, ['-L', this.#server, ...args], { encoding: 'utf8' }).stdout
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
