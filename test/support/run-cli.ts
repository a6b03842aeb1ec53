import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { PROGRAM } from './program.ts'

export interface CliEnd {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Options {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly stdin?: string
  /** For what must happen while it runs: signals, closed pipes. */
  readonly whileRunning?: (child: ChildProcess) => void | Promise<void>
  readonly timeoutMs?: number
}

/** Runs the built CLI as a process of its own, to its end. */
export async function runCli(args: readonly string[], options: Options = {}): Promise<CliEnd> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { ...process.env, NO_COLOR: '1', ...options.env },
    cwd: options.cwd,
    timeout: options.timeoutMs ?? 30_000,
    killSignal: 'SIGKILL',
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const closed = once(child, 'close') as Promise<[number | null]>
  const output = Promise.all([text(child.stdout), text(child.stderr)])
  child.stdin.end(options.stdin ?? '')
  await options.whileRunning?.(child)
  const [stdout, stderr] = await output
  const [code] = await closed
  return { code, stdout, stderr }
}

export function jsonLines(stdout: string): Record<string, unknown>[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}
