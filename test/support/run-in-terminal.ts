// The CLI in a pseudo terminal, as a person has it: `script` of util-linux makes one.
import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { onTestFinished } from 'vitest'
import { PROGRAM } from './program.ts'
import { screenOf } from './screen.ts'

interface Options {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** What stands before it on its line, like `echo go |`. */
  readonly before?: string
  /** What it is run with: the CLI from source, unless told otherwise. */
  readonly program?: readonly string[]
  /** What the shell does after the CLI, in the same terminal. */
  readonly afterwards?: string
  readonly columns?: number
  readonly rows?: number
  readonly timeoutMs?: number
}

/** Starts the CLI from source in a terminal of its own. It is killed at the deadline and when the test ends. */
export function runInTerminal(args: readonly string[], options: Options = {}): TerminalRun {
  const { columns = 100, rows = 40, timeoutMs = 40_000, before = '', afterwards } = options
  const { program = [process.execPath, PROGRAM] } = options
  const line = `${before} ${[...program, ...args].map(quoted).join(' ')}`
  // Ctrl-C is for the CLI; the shell around it lives on.
  const folder = mkdtempSync(path.join(tmpdir(), 'terminal-'))
  const ttyFile = path.join(folder, 'tty')
  const shell = `trap : INT; tty > ${quoted(ttyFile)}; stty cols ${columns} rows ${rows}; ${line}${afterwards ? `; code=$?; ${afterwards}; exit $code` : ''}`
  const child = spawn('script', ['-qfec', shell, '/dev/null'], {
    env: { ...process.env, NO_COLOR: '1', SHELL: '/bin/sh', ...options.env },
    cwd: options.cwd,
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  })
  return new TerminalRun(child, ttyFile)
}

export class TerminalRun {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #closed: Promise<unknown[]>
  readonly #ttyFile: string
  /** Everything that was written to the terminal. */
  raw = ''
  /** Where in the text the next wait begins. */
  #seen = 0
  /** Nothing more will be written; a process that has exited may have left output that is not read yet. */
  #isClosed = false

  constructor(child: ChildProcessWithoutNullStreams, ttyFile: string) {
    this.#child = child
    this.#ttyFile = ttyFile
    this.#closed = once(child, 'close')
    child.on('close', () => {
      this.#isClosed = true
    })
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      this.raw += chunk
    })
  }

  /** The same without what only moves the cursor. */
  get text(): string {
    return stripVTControlCharacters(this.raw).replaceAll('\r', '')
  }

  /** What is on the screen now, and what scrolled off it. */
  get screen(): string {
    return screenOf(this.raw)
  }

  /** Waits until this is shown, after what was waited for before. */
  async shows(what: string | RegExp): Promise<void> {
    for (;;) {
      const text = this.text
      const rest = text.slice(this.#seen)
      const at = typeof what === 'string' ? rest.indexOf(what) : rest.search(what)
      if (at >= 0) {
        this.#seen += at + 1
        return
      }
      if (this.#isClosed) throw new Error(`the run ended and never showed ${what}:\n${text}`)
      await Promise.race([once(this.#child.stdout, 'data'), this.#closed])
    }
  }

  /** Gives the terminal another size. Only once something is shown. */
  resize(columns: number, rows: number): void {
    const tty = readFileSync(this.#ttyFile, 'utf8').trim()
    execFileSync('stty', ['-F', tty, 'cols', String(columns), 'rows', String(rows)])
  }

  type(keys: string): void {
    this.#child.stdin.write(keys)
  }

  /** Waits for the end; null when it had to be killed. */
  async ended(): Promise<{ code: number | null; screen: string }> {
    const [code] = (await this.#closed) as [number | null]
    return { code, screen: this.screen }
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
