// Another program has the terminal until it ends. However it ends, the terminal is as it was.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { DrawbridgeError } from '../../codex/index.ts'
import { Interruption, type Surroundings } from '../process/index.ts'

/** Leaves the alternate screen, and shows the cursor, where the program could not. */
const RESET = '\u001B[?1049l\u001B[?2004l\u001B[?25h\u001B[0m'

/** Its exit code; null when a signal ended it. */
export async function runForeground(
  [program, ...args]: readonly [string, ...string[]],
  { env, cwd }: { env: NodeJS.ProcessEnv; cwd: string | undefined },
  { interrupted, stdout }: Surroundings,
): Promise<number | null> {
  const saved = terminalState()
  const child = spawn(program, args, { stdio: 'inherit', env, cwd })
  // Ctrl-C is the program's: it has the terminal. TERM, and a terminal that was closed, end both.
  const onAbort = () => {
    if (!(interrupted.reason instanceof Interruption) || !interrupted.reason.isCtrlC) child.kill('SIGTERM')
  }
  interrupted.addEventListener('abort', onAbort)
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    if (signal !== null) {
      stdout.write(RESET)
      restoreTerminal(saved)
    }
    return code
  } catch (error) {
    throw new DrawbridgeError(`${program} could not be started: ${(error as Error).message}`, {
      code: 'codex-not-found',
      cause: error,
    })
  } finally {
    interrupted.removeEventListener('abort', onAbort)
  }
}

function terminalState(): string | null {
  try {
    return execFileSync('stty', ['-g'], { stdio: ['inherit', 'pipe', 'ignore'], encoding: 'utf8' }).trim()
  } catch {
    return null
  }
}

function restoreTerminal(saved: string | null): void {
  try {
    if (saved) execFileSync('stty', [saved], { stdio: ['inherit', 'ignore', 'ignore'] })
  } catch {
    // The terminal is gone.
  }
}
