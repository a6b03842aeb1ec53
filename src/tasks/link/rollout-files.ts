// Where codex keeps a thread: one file, and one for each thread that it was forked from. Codex (0.166) finds a thread by the id in
// the name of its file.
import { closeSync, existsSync, openSync, readdirSync, readSync } from 'node:fs'
import path from 'node:path'

const HEAD_BYTES = 64 * 1024
const MAX_ANCESTORS = 50

export interface RolloutFile {
  readonly threadId: string
  /** Absolute. */
  readonly file: string
  /** The version of codex that began it; null: it does not say. */
  readonly version: string | null
}

/** That of the thread first, then those of its ancestors; empty: the thread is not there. */
export function rolloutsOf(threadId: string, home: string): RolloutFile[] {
  const found: RolloutFile[] = []
  for (let next: string | null = threadId; next !== null && found.length < MAX_ANCESTORS; ) {
    const file = rolloutOf(next, home)
    if (!file) break
    const head = headOf(file)
    found.push({ threadId: next, file, version: textIn(head, 'cli_version') })
    next = textIn(head, 'forked_from_id')
  }
  return found
}

function rolloutOf(threadId: string, home: string): string | undefined {
  if (!/^[\w-]+$/.test(threadId)) return undefined
  const folders = ['sessions', 'archived_sessions'].map((name) => path.join(home, name)).filter(existsSync)
  // Not by a pattern: Node 20, which gets a sentence of ours, cannot even load a module that imports globSync.
  const isOf = (name: string) => name.startsWith('rollout-') && name.endsWith(`${threadId}.jsonl`)
  return folders.flatMap((folder) => {
    const name = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((each) =>
      isOf(path.basename(each)),
    )
    return name === undefined ? [] : [path.join(folder, name)]
  })[0]
}

/** The first line of a rollout is about the thread. */
function headOf(file: string): string {
  const descriptor = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(HEAD_BYTES)
    const head = bytes.subarray(0, readSync(descriptor, bytes, 0, HEAD_BYTES, 0)).toString()
    return head.split('\n', 1)[0]!
  } finally {
    closeSync(descriptor)
  }
}

function textIn(head: string, name: string): string | null {
  return new RegExp(`"${name}"\\s*:\\s*"([\\w.+-]+)"`).exec(head)?.[1] ?? null
}
