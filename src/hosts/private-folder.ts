import { lstatSync, mkdirSync, type Stats } from 'node:fs'
import { DrawbridgeError } from '../codex/index.ts'

/** Makes the folder for this user alone, or takes one that is. Whoever can enter it can take over codex: else refused. */
export function makePrivateFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code !== 'EEXIST') throw refused(`cannot make the folder ${folder} (${code})`, cause)
  }
  const problem = problemOf(lstatSync(folder))
  if (problem) throw refused(`refusing to put sockets into ${folder}: ${problem}`)
}

function problemOf(facts: Stats): string | null {
  if (facts.isSymbolicLink()) return 'it is a symbolic link'
  if (!facts.isDirectory()) return 'it is not a folder'
  if (process.getuid && facts.uid !== process.getuid()) return `it belongs to another user (${facts.uid})`
  const mode = facts.mode & 0o777
  return mode & 0o077
    ? `others may enter it (mode ${mode.toString(8)}); make it private with chmod 700`
    : null
}

function refused(message: string, cause?: unknown): DrawbridgeError {
  return new DrawbridgeError(message, { code: 'socket-folder-refused', cause })
}
