// What a command may touch of the process it runs in. Only `main` makes one; commands take it as an argument.
import { EXIT } from './exit-code.ts'
import { onSignals } from './launcher-signals.ts'

export interface Surroundings {
  readonly env: NodeJS.ProcessEnv
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  readonly useColour: boolean
  /** The program and the arguments that run this command line again, to start the service with. */
  readonly self: readonly [string, ...string[]]
  /** Aborts, with an Interruption, on the first Ctrl-C, TERM or HUP, and when whoever reads our stdout has gone. */
  readonly interrupted: AbortSignal
  /** What Ctrl-C does, for when it arrives as a key. */
  interrupt(): void
  /** Calls back however the process ends, unless it is killed. Returns how to take that back. */
  onExit(undo: () => void): () => void
  /** Sets the exit code; the process ends when nothing is left to do. */
  exit(code: number): void
  /** Leaves at once, whatever is left to do. */
  leave(code: number): void
}

/** Why a command is to end before it is done. */
export class Interruption extends Error {
  /** Somebody pressed Ctrl-C, or sent what it sends; otherwise we are only not wanted any longer. */
  readonly isCtrlC: boolean

  constructor(by: NodeJS.Signals | 'a key' | 'closed output') {
    super(`interrupted by ${by}`)
    this.name = 'Interruption'
    this.isCtrlC = by === 'SIGINT' || by === 'a key'
  }
}

/** A second Ctrl-C does not wait for codex: it leaves at once. */
export function processSurroundings(): Surroundings {
  const controller = new AbortController()
  const interrupt = (by: NodeJS.Signals | 'a key') => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted)
    controller.abort(new Interruption(by))
  }
  onSignals(['SIGINT', 'SIGTERM', 'SIGHUP'], interrupt)
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // EIO: the terminal was closed.
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
    controller.abort(new Interruption('closed output'))
  })
  let stderr: NodeJS.WriteStream | null = null
  return {
    env: process.env,
    // Made when they are used: making each costs as much as loading the command.
    get stdin() {
      return process.stdin
    },
    stdout: process.stdout,
    get stderr() {
      // Who does not follow the activity may still want the answer.
      stderr ??= process.stderr.on('error', () => {})
      return stderr
    },
    get useColour() {
      return process.stderr.isTTY === true && !process.env.NO_COLOR
    },
    self: [process.execPath, ...process.execArgv, process.argv[1]!],
    interrupted: controller.signal,
    interrupt: () => interrupt('a key'),
    onExit: (undo) => {
      process.on('exit', undo)
      return () => void process.off('exit', undo)
    },
    exit: (code) => {
      process.exitCode = code
    },
    leave: (code) => process.exit(code),
  }
}
