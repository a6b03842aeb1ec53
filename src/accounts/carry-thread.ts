// A thread goes on under another login: its rollout, and those of threads it was forked from, are copied into the home of
// that account. Codex (0.166) finds a thread by the id in the name of its file.
import { closeSync, copyFileSync, existsSync, globSync, openSync, readSync } from 'node:fs'
import path from 'node:path'
import { makeFolder } from '../util/make-folder.ts'

const HEAD_BYTES = 64 * 1024
const MAX_ANCESTORS = 50

/** False: the thread is not there. What is there already is replaced: no codex may have it open. */
export function carryThread(threadId: string, { from, to }: { from: string; to: string }): boolean {
  let isCarried = false
  let next: string | null = threadId
  for (let count = 0; next !== null && count < MAX_ANCESTORS; count++) {
    const file: string | undefined = rolloutOf(next, from)
    if (!file) break
    const target = path.join(to, path.relative(from, file))
    makeFolder(path.dirname(target))
    copyFileSync(file, target)
    isCarried = true
    next = forkedFrom(file)
  }
  return isCarried
}

function rolloutOf(threadId: string, home: string): string | undefined {
  if (!/^[\w-]+$/.test(threadId)) return undefined
  const folders = ['sessions', 'archived_sessions'].map((name) => path.join(home, name)).filter(existsSync)
  return folders.flatMap((cwd) =>
    globSync(`**/rollout-*${threadId}.jsonl`, { cwd }).map((name) => path.join(cwd, name)),
  )[0]
}

/** The first line of a rollout is about the thread. */
function forkedFrom(file: string): string | null {
  const descriptor = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(HEAD_BYTES)
    const head = bytes.subarray(0, readSync(descriptor, bytes, 0, HEAD_BYTES, 0)).toString()
    return /"forked_from_id"\s*:\s*"([\w-]+)"/.exec(head.split('\n', 1)[0]!)?.[1] ?? null
  } finally {
    closeSync(descriptor)
  }
}
