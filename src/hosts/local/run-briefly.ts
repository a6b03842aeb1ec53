import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'

export interface BriefRun {
  /** null when it was ended by a signal, ours after the time-out included. */
  readonly exitCode: number | null
  readonly timedOut: boolean
  readonly stdout: string
  readonly stderr: string
}

const MAX_OUTPUT_CHARACTERS = 64 * 1024
/** A grandchild may hold the pipes open after the program has ended. */
const DRAIN_MS = 250

/** Runs a program to its end, or kills it and what it started in its group. Rejects when it cannot start. */
export async function runBriefly(
  file: string,
  args: readonly string[],
  options: { env: Record<string, string>; timeoutMs: number; input?: string; signal?: AbortSignal },
): Promise<BriefRun> {
  options.signal?.throwIfAborted()
  const child = spawn(file, args, {
    env: options.env,
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    detached: true,
    windowsHide: true,
  })
  const { promise, resolve, reject } = Promise.withResolvers<BriefRun>()
  child.on('error', reject)
  // One that ends without reading it has its reasons.
  child.stdin?.on('error', () => {}).end(options.input)
  const stdout = collect(child.stdout ?? undefined)
  const stderr = collect(child.stderr ?? undefined)
  const finish = (exitCode: number | null, timedOut = false) =>
    resolve({ exitCode, timedOut, stdout: stdout(), stderr: stderr() })
  const killGroup = () => {
    if (!child.pid || child.exitCode !== null || child.signalCode !== null) return
    // The leader is not reaped yet, so its group is still its own.
    try {
      process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL')
    } catch {} // it ended at this moment
  }
  const onAbort = () => {
    killGroup()
    reject(options.signal?.reason)
  }
  const onTimeOut = () => {
    killGroup()
    finish(null, true)
  }
  options.signal?.addEventListener('abort', onAbort, { once: true })
  const timers = [setTimeout(onTimeOut, options.timeoutMs)]
  // After an event loop that was blocked, what is in the pipes is read first; then it is the end.
  child.on('exit', (code) => timers.push(setTimeout(() => setImmediate(finish, code), DRAIN_MS)))
  child.on('close', (code) => finish(code))
  try {
    return await promise
  } finally {
    options.signal?.removeEventListener('abort', onAbort)
    for (const timer of timers) clearTimeout(timer)
    child.stdout?.destroy()
    child.stderr?.destroy()
  }
}

/** There is no stream when the system had no file descriptor left for it. */
function collect(stream: Readable | undefined): () => string {
  let text = ''
  stream?.setEncoding('utf8')
  stream?.on('data', (chunk: string) => {
    if (text.length < MAX_OUTPUT_CHARACTERS) text += chunk
  })
  stream?.on('error', () => {})
  return () => text
}
