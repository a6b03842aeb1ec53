// Commands on this machine, each in a process group of its own: a signal to the service must not leave one half done.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import {
  BASIC_VARIABLES,
  type Command,
  type CommandEnd,
  type RunningCommand,
  type StreamedCommand,
} from './machine.ts'
import { MachineError } from './machine-error.ts'

const MAX_STDERR = 16 * 1024

export async function runHere(env: NodeJS.ProcessEnv, command: Command): Promise<CommandEnd> {
  command.signal?.throwIfAborted()
  const input = command.inputFile === undefined ? null : await opened(command.inputFile, 'r')
  const output = command.outputFile === undefined ? null : await opened(command.outputFile, 'w')
  try {
    return await runWith(env, command, { input, output })
  } finally {
    await Promise.all([input?.close(), output?.close()])
  }
}

async function opened(place: string, how: 'r' | 'w'): Promise<FileHandle> {
  return open(place, how, 0o600).catch((cause: NodeJS.ErrnoException) => {
    throw new MachineError(cause.code === 'ENOENT' ? 'not-found' : 'file-failed', cause.message, { cause })
  })
}

interface Files {
  readonly input: FileHandle | null
  readonly output: FileHandle | null
}

async function runWith(
  env: NodeJS.ProcessEnv,
  command: Command,
  { input, output }: Files,
): Promise<CommandEnd> {
  const stdin = input?.fd ?? (command.input === undefined ? 'ignore' : 'pipe')
  const child = start(env, command, [stdin, output?.fd ?? 'pipe', 'pipe'])
  const ended = endOf(child, command, { isStreamed: false })
  if (stdin === 'pipe') child.stdin?.on('error', () => {}).end(command.input)
  const out = collect(child.stdout, command.maxBytes ?? Number.POSITIVE_INFINITY)
  const errors = collect(child.stderr, MAX_STDERR)
  const exitCode = await ended
  const { bytes, isCut } = out()
  return { exitCode, stdout: bytes, isCut, stderr: textOf(errors().bytes) }
}

export async function openHere(env: NodeJS.ProcessEnv, command: StreamedCommand): Promise<RunningCommand> {
  command.signal?.throwIfAborted()
  const child = start(env, command, ['pipe', 'pipe', 'pipe'])
  const ended = endOf(child, command, { isStreamed: true })
  ended.catch(() => {})
  if (!child.stdin || !child.stdout) {
    await ended
    throw new MachineError('command-killed', `${command.program} could not be given its streams`)
  }
  const errors = collect(child.stderr, MAX_STDERR)
  // A program that ends without reading its input has its reasons, and `ended` tells them.
  child.stdin.on('error', () => {})
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    ended: ended.then((exitCode) => ({ exitCode, stderr: textOf(errors().bytes) })),
  }
}

function start(
  env: NodeJS.ProcessEnv,
  { program, args = [], cwd = '/', ...command }: StreamedCommand,
  stdio: ('pipe' | 'ignore' | number)[],
): ChildProcess {
  const names = command.inherit ?? BASIC_VARIABLES
  const kept = names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]))
  return spawn(program, [...args], {
    cwd,
    env: { ...Object.fromEntries(kept), ...command.env },
    stdio,
    detached: true,
    windowsHide: true,
  })
}

/**
 * Its exit code, when all of its output was read. One that was ended is waited for, but not what still has its output open:
 * unless it is streamed, where the reader is told by the end of the stream.
 */
async function endOf(
  child: ChildProcess,
  command: StreamedCommand & Pick<Command, 'timeoutMs'>,
  { isStreamed }: { readonly isStreamed: boolean },
) {
  const { signal, timeoutMs, program, cwd } = command
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  let isLate = false
  const end = (how: NodeJS.Signals) => {
    killGroup(child, how)
    if (isStreamed) return
    const leave = () => {
      child.stdout?.destroy()
      child.stderr?.destroy()
    }
    if (hasExited(child)) leave()
    else child.once('exit', leave)
  }
  const onAbort = () => end('SIGTERM')
  const onTime = () => {
    isLate = true
    end('SIGKILL')
  }
  const timer = timeoutMs === undefined ? undefined : setTimeout(onTime, timeoutMs)
  signal?.addEventListener('abort', onAbort, { once: true })
  child.on('error', (cause) => reject(notStarted(program, cwd, cause)))
  child.on('close', (code) => resolve(code ?? -1))
  try {
    const exitCode = await promise
    signal?.throwIfAborted()
    if (isLate) throw new MachineError('command-timed-out', `${program} took longer than ${timeoutMs} ms`)
    return exitCode
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

function hasExited({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

function killGroup(child: ChildProcess, how: NodeJS.Signals): void {
  if (!child.pid || hasExited(child)) return
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, how)
  } catch {} // it ended at this moment
}

function collect(stream: Readable | null, maxBytes: number): () => { bytes: Buffer; isCut: boolean } {
  const parts: Buffer[] = []
  let size = 0
  stream?.on('data', (part: Buffer) => {
    // Read to the end all the same: a command would die of a closed pipe in the middle of its work.
    if (size < maxBytes) parts.push(part.subarray(0, maxBytes - size))
    size += part.length
  })
  return () => ({ bytes: Buffer.concat(parts), isCut: size > maxBytes })
}

function textOf(bytes: Buffer): string {
  return bytes.toString('utf8').trim()
}

function notStarted(program: string, cwd: string | undefined, cause: Error): MachineError {
  if (cwd !== undefined && !existsSync(cwd))
    return new MachineError('folder-missing', `${cwd} is not there any more`, { cause })
  return new MachineError('program-missing', `${program} could not be started (${cause.message})`, { cause })
}
