// Several app-servers that start at once on a fresh CODEX_HOME all but one exit with "failed to initialize sqlite
// state runtime" (0.166). So until one app-server on a home has answered, the next waits for it: in this process by
// a promise, in others by a lock file.
import { createHash } from 'node:crypto'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { tryLock } from '../owner-lock.ts'
import { makeRegistry } from '../registry.ts'

/** By home: settles with whether that start went well. A good one stays, and lets everyone pass. */
const starts = new Map<string, Promise<boolean>>()

/** Another process that holds the lock for longer than this is stuck: then we try our luck. */
const LOCK_MS = 15_000
const LOCK_LOOK_MS = 50

/** A start that is not the first on its home has nothing to report. */
export type ReportStart = (wentWell: boolean) => void

export interface FirstStartOptions {
  /** Where processes on the same home meet; null to know only of this one. */
  readonly lockDir?: string | null
  readonly signal?: AbortSignal
}

/** Waits until this home is ready, or until it is our turn to make it so; then the outcome must be reported. */
export async function awaitFirstStart(home: string, options: FirstStartOptions): Promise<ReportStart> {
  for (;;) {
    const earlier = starts.get(home)
    if (!earlier) return beFirst(home, options)
    if (await orAbort(earlier, options.signal)) return () => {}
  }
}

async function beFirst(home: string, { lockDir, signal }: FirstStartOptions): Promise<ReportStart> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  starts.set(home, promise)
  let unlock = () => {}
  let isReported = false
  const report: ReportStart = (wentWell) => {
    if (isReported) return
    isReported = true
    unlock()
    if (!wentWell) starts.delete(home)
    resolve(wentWell)
  }
  try {
    if (lockDir) unlock = await lock(lockDir, home, signal)
    return report
  } catch (error) {
    report(false)
    throw error
  }
}

async function lock(lockDir: string, home: string, signal: AbortSignal | undefined): Promise<() => void> {
  const file = path.join(lockDir, `first-start-${createHash('sha256').update(home).digest('hex')}.lock`)
  for (let waitedMs = 0; waitedMs < LOCK_MS; waitedMs += LOCK_LOOK_MS) {
    const unlock = tryQuietly(lockDir, file)
    if (unlock) return unlock
    await delay(LOCK_LOOK_MS, undefined, { signal }).catch(() => signal?.throwIfAborted())
  }
  return () => {}
}

/** A folder without room for a lock must not keep codex from starting. */
function tryQuietly(lockDir: string, file: string): (() => void) | null {
  try {
    makeRegistry(lockDir)
    return tryLock(file)
  } catch {
    return () => {}
  }
}

async function orAbort<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
