import { existsSync, mkdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { UsageError } from '../usage-error.ts'

/**
 * Makes the data folder where it is not there yet, for this user alone. Folder by folder: Node's own `recursive` never
 * ends where a folder cannot be made and no reason fits, as below /proc.
 */
export function makeDataFolder(folder: string): void {
  const missing: string[] = []
  for (let at = path.resolve(folder); !existsSync(at); at = path.dirname(at)) missing.unshift(at)
  for (const part of missing) makeOne(part, folder)
  refuseFile(folder)
}

/** It may be missing, but nothing else may be in its place or above it. */
export function refuseFile(folder: string): void {
  let at = path.resolve(folder)
  while (!existsSync(at)) at = path.dirname(at)
  if (statSync(at).isDirectory()) return
  const where = at === path.resolve(folder) ? 'is a file' : `would be in a file, ${at}`
  throw new UsageError(`the data folder ${folder} ${where}: ${CHOOSE}`)
}

const CHOOSE = 'choose another with --data-dir or DRAWBRIDGE_HOME'

function makeOne(part: string, folder: string): void {
  try {
    mkdirSync(part, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Another command may have made it at the same moment.
    if (code !== 'EEXIST')
      throw new UsageError(`the data folder ${folder} cannot be made (${code}): ${CHOOSE}`)
  }
}
