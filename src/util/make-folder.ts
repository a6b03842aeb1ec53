import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'

/**
 * Makes a folder and those above it, for this user alone. Folder by folder: Node's own `recursive` never ends where a
 * folder cannot be made and no reason fits, as below /proc.
 */
export function makeFolder(folder: string): void {
  const missing: string[] = []
  for (let at = path.resolve(folder); !existsSync(at); at = path.dirname(at)) missing.unshift(at)
  for (const part of missing) {
    try {
      mkdirSync(part, { mode: 0o700 })
    } catch (error) {
      // Another process may have made it at the same moment.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}
