// Paths of another application's file, which may be of another system than ours in a test.
import path from 'node:path'

export function isRelative(written: string): boolean {
  return !path.posix.isAbsolute(written) && !path.win32.isAbsolute(written)
}

/** Whether it names more than a program to be found on PATH. */
export function hasFolder(command: string): boolean {
  return /[\\/]|^[A-Za-z]:/.test(command)
}

export function inProject(project: string, written: string): string {
  const { isAbsolute, join } = path.posix.isAbsolute(project) ? path.posix : path.win32
  return isAbsolute(written) ? written : join(project, written)
}
