// Runs a command of the operator's to its end, with what it starts: it leads a session of its own, and everything in that,
// or with its marker, ends with it.
import { type ChildProcess, spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { DrawbridgeError } from '../../codex/index.ts'
import {
  identify,
  isAlive,
  MARKER_VARIABLE,
  type ProcessIdentity,
  sessionName,
  signal,
} from '../processes.ts'
import { endTree } from './end-tree.ts'

export interface StartedProcess extends ProcessIdentity {
  readonly session: string | null
}

export interface CommandRun {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** For its standard input. */
  readonly input: string
  /** In its environment; of this run alone. */
  readonly marker: string
  /** Ends it: TERM, and KILL when it does not go. */
  readonly signal: AbortSignal
  readonly onOutput: (text: string, stream: 'stdout' | 'stderr') => void
  readonly onStarted: (process: StartedProcess) => void
}

/** It ended with a code that is not 0, or by a signal. */
export class CommandFailedError extends DrawbridgeError {
  readonly exitCode: number | null

  constructor(
    message: string,
    { exitCode = null, cause }: { exitCode?: number | null; cause?: unknown } = {},
  ) {
    super(message, { code: 'command-failed', cause })
    this.exitCode = exitCode
  }
}

/** Between TERM and KILL. */
const PATIENCE = { termMs: 3_000, leftoverTermMs: 1_000 }
/** Who has left the session and cleared the environment may hold the pipes. */
const DRAIN_MS = 500

/**
 * Resolves when it ended with code 0 and nothing of it is left; rejects with a `CommandFailedError`, or with the reason of
 * the signal once it has ended.
 */
export async function runCommand(
  [file, ...args]: readonly [string, ...string[]],
  run: CommandRun,
): Promise<void> {
  run.signal.throwIfAborted()
  refuseMissing(run.cwd)
  const child = spawn(file, args, {
    cwd: run.cwd,
    env: { ...run.env, [MARKER_VARIABLE]: run.marker },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    windowsHide: true,
  })
  const closed = Promise.withResolvers<void>()
  const exited = Promise.withResolvers<void>()
  child.on('exit', () => exited.resolve())
  child.on('close', () => closed.resolve())
  child.on('error', (error) => exited.reject(notStarted(file, error)))
  // One that does not read it has its reasons.
  child.stdin?.on('error', () => {}).end(run.input)
  read(child.stdout, (text) => run.onOutput(text, 'stdout'))
  read(child.stderr, (text) => run.onOutput(text, 'stderr'))
  const identity = child.pid === undefined ? null : identify(child.pid)
  if (identity) run.onStarted({ ...identity, session: sessionName(identity) })
  await untilGone(child, { run, identity, exited: exited.promise })
  await Promise.race([closed.promise, new Promise((resolve) => setTimeout(resolve, DRAIN_MS))])
  child.stdout?.destroy()
  child.stderr?.destroy()
  run.signal.throwIfAborted()
  const { exitCode, signalCode } = child
  if (signalCode !== null) throw new CommandFailedError(`it was ended by ${signalCode}`)
  if (exitCode !== 0) throw new CommandFailedError(`it ended with exit code ${exitCode}`, { exitCode })
}

async function untilGone(
  child: ChildProcess,
  { run, identity, exited }: { run: CommandRun; identity: ProcessIdentity | null; exited: Promise<void> },
): Promise<void> {
  const aborted = Promise.withResolvers<void>()
  const onAbort = () => aborted.resolve()
  run.signal.addEventListener('abort', onAbort, { once: true })
  try {
    await Promise.race([exited, aborted.promise])
  } finally {
    run.signal.removeEventListener('abort', onAbort)
  }
  // A shell may be gone before it was looked at: of its session its pid alone tells, until that is given to another.
  const gone = child.pid === undefined ? null : { pid: child.pid, start: '' }
  await endTree(
    {
      identity: identity ?? gone,
      marker: run.marker,
      hasSession: true,
      isGone: () => child.exitCode !== null || child.signalCode !== null,
      signal: (name) => void (identity ? signalGroup(identity, name) : child.kill(name)),
    },
    PATIENCE,
  )
}

/** Its group has its number for as long as its leader is not reaped: a shell waits for the program that it has started. */
function signalGroup(identity: ProcessIdentity, name: 'SIGTERM' | 'SIGKILL'): void {
  if (!isAlive(identity)) return
  try {
    process.kill(-identity.pid, name)
  } catch {} // it ended at this moment
}

/** Ends what a run has left behind whose service was killed. */
export async function endCommand(marker: string, process: StartedProcess | null): Promise<void> {
  const identity = process && { pid: process.pid, start: process.start }
  const isGone = () => identity === null || !isAlive(identity)
  await endTree({
    identity,
    marker,
    hasSession: identity !== null && !isGone(),
    sessionName: process?.session ?? null,
    isGone,
    signal: (name) => identity && signal(identity, name),
  })
}

function read(stream: Readable | null, take: (text: string) => void): void {
  stream?.setEncoding('utf8')
  stream?.on('data', take)
  stream?.on('error', () => {})
}

/** Node says of a missing folder that the program is missing. */
function refuseMissing(cwd: string): void {
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return
  throw new CommandFailedError(`the folder ${cwd} is not there`)
}

function notStarted(file: string, cause: Error): CommandFailedError {
  return new CommandFailedError(`${file} could not be started: ${cause.message}`, { cause })
}
