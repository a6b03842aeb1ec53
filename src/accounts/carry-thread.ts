// A thread goes on under another login: its rollout, and those of threads it was forked from, are copied into the home of
// that account.
import { copyFileSync } from 'node:fs'
import path from 'node:path'
import { rolloutsOf } from '../tasks/index.ts'
import { makeFolder } from '../util/make-folder.ts'

/** False: the thread is not there. What is there already is replaced: no codex may have it open. */
export function carryThread(threadId: string, { from, to }: { from: string; to: string }): boolean {
  const rollouts = rolloutsOf(threadId, from)
  for (const { file } of rollouts) {
    const target = path.join(to, path.relative(from, file))
    makeFolder(path.dirname(target))
    copyFileSync(file, target)
  }
  return rollouts.length > 0
}
