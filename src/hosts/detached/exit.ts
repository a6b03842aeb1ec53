// How we learn that a process is gone that may or may not be our child.
import type { ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { howItEnded } from '../owned-app-server.ts'
import { isAlive, type ProcessIdentity } from '../processes.ts'

const LOOK_EVERY_MS = 500
/** The system tells us of a child's end a moment after it is gone. */
const TOLD_MS = 500

export interface Exit {
  readonly happened: Promise<void>
  /** One sentence, for when it has happened. */
  how(): Promise<string>
  /** After this `happened` may never settle. */
  stop(): void
}

/** Neither the child nor this watch keeps our process running. */
export function watchExit(identity: ProcessIdentity, child: ChildProcess | null): Exit {
  const { promise, resolve } = Promise.withResolvers<void>()
  if (!child) {
    const timer = setInterval(() => isAlive(identity) || resolve(), LOOK_EVERY_MS).unref()
    const how = async () =>
      `codex (pid ${identity.pid}) is gone (an earlier Drawbridge started it: how it ended cannot be told)`
    return { happened: promise.finally(() => clearInterval(timer)), how, stop: () => clearInterval(timer) }
  }
  const hasExited = () => child.exitCode !== null || child.signalCode !== null
  const onExit = () => resolve()
  child.once('exit', onExit)
  child.unref()
  if (hasExited()) resolve()
  return {
    happened: promise,
    how: async () => {
      const exited = Promise.withResolvers<void>()
      child.once('exit', () => exited.resolve())
      if (!hasExited()) await Promise.race([exited.promise, delay(TOLD_MS, undefined, { ref: false })])
      return hasExited() ? howItEnded(child) : `codex (pid ${identity.pid}) is gone`
    },
    stop: () => void child.off('exit', onExit),
  }
}
