import { once } from 'node:events'
import { existsSync, watch, writeFileSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { DrawbridgeError } from '../../codex/index.ts'
import { makeScratchFolder } from '../scratch-folder.ts'
import { type FakeEvent, journalFile, readEvents } from './journal.ts'
import type { FakeMessage, FakeScript } from './script.ts'

export interface FakeCodex extends AsyncDisposable {
  /** The executable to give to a host. */
  readonly path: string
  /** Everything that happened to it so far, over all its starts. */
  events(): FakeEvent[]
  /** The messages it was sent: requests, notifications and answers. */
  received(): FakeMessage[]
  /** The first event that fits, past or future. Rejects at the deadline. */
  waitFor(
    fits: (event: FakeEvent) => boolean,
    options?: { timeoutMs?: number; signal?: AbortSignal },
  ): Promise<FakeEvent>
  /** Deletes it. Whatever of it still runs ends by itself soon after. */
  remove(): Promise<void>
}

/**
 * Makes an executable that passes for `codex` and follows the script. Of several scripts each start takes the next
 * and the last one stays: `[{ onStart: [crash()] }, {}]` dies once and then behaves.
 */
export async function fakeCodex(
  script: FakeScript | readonly FakeScript[] = {},
  options: { dir?: string } = {},
): Promise<FakeCodex> {
  const folder = await makeScratchFolder('fake-codex', options.dir)
  const program = path.join(folder.path, 'codex')
  writeFileSync(journalFile(folder.path), '')
  await writeFile(path.join(folder.path, 'scripts.json'), JSON.stringify([script].flat()))
  await writeFile(program, launcher(folder.path))
  await chmod(program, 0o700)
  const events = () => readEvents(folder.path)
  return {
    path: program,
    events,
    received: () => events().flatMap((event) => (event.event === 'received' ? [event.message] : [])),
    waitFor: (fits, { timeoutMs = 10_000, signal } = {}) => waitFor(folder.path, { fits, timeoutMs, signal }),
    remove: folder.remove,
    [Symbol.asyncDispose]: folder.remove,
  }
}

// Paths are absolute because a host may start it with a PATH that has no node.
function launcher(folder: string): string {
  const self = import.meta.url ? fileURLToPath(import.meta.url) : ''
  const program = path.join(path.dirname(self), `program${path.extname(self)}`)
  if (!existsSync(program))
    throw new DrawbridgeError(
      'the fake app-server is a program of its own and cannot be bundled: keep codex-drawbridge outside the bundle',
      { code: 'bundled' },
    )
  const words = [process.execPath, '--disable-warning=ExperimentalWarning', program, folder].map(quoted)
  return `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

async function waitFor(
  folder: string,
  wanted: { fits: (event: FakeEvent) => boolean; timeoutMs: number; signal: AbortSignal | undefined },
): Promise<FakeEvent> {
  const deadline = AbortSignal.timeout(wanted.timeoutMs)
  const signal = wanted.signal ? AbortSignal.any([deadline, wanted.signal]) : deadline
  const changes = watch(folder)
  try {
    for (;;) {
      const found = readEvents(folder).find(wanted.fits)
      if (found) return found
      await once(changes, 'change', { signal })
    }
  } catch (cause) {
    wanted.signal?.throwIfAborted()
    const seen = readEvents(folder).map((event) => JSON.stringify(event))
    throw new Error(`the fake codex saw no such event in ${wanted.timeoutMs} ms, but: ${seen.join(' ')}`, {
      cause,
    })
  }
}
