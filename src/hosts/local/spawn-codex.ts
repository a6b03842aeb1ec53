import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { DrawbridgeError } from '../../codex/index.ts'
import { spawnFailure } from './codex-version.ts'
import type { PipedChild } from './stdio-channel.ts'

export interface SpawnOptions {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string | undefined
}

/** Starts codex with pipes on all three streams, as the leader of its own session. */
export async function spawnCodex(codexPath: string, { args, env, cwd }: SpawnOptions): Promise<PipedChild> {
  if (cwd !== undefined) refuseMissingFolder(cwd)
  try {
    const child: PipedChild = spawn(codexPath, args, {
      env,
      cwd,
      stdio: ['pipe', 'pipe', 'pipe'],
      // A Ctrl-C in the terminal is for us to pass on: codex dies of it at once, without a word.
      detached: true,
      windowsHide: true,
    })
    await once(child, 'spawn')
    child.on('error', () => {}) // a signal that could not be sent; the exit tells the rest
    return child
  } catch (error) {
    throw spawnFailure(codexPath, error)
  }
}

/** The system reports a missing working folder as if the program were missing. */
export function refuseMissingFolder(cwd: string): void {
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return
  throw new DrawbridgeError(`cannot start codex in ${cwd}: there is no such folder`, {
    code: 'cwd-not-found',
  })
}
