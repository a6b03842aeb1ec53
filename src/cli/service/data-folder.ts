import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { makeFolder } from '../../util/make-folder.ts'
import { UsageError } from '../process/index.ts'

/** Makes the data folder where it is not there yet. */
export function makeDataFolder(folder: string): void {
  try {
    makeFolder(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UsageError(`the data folder ${folder} cannot be made (${code}): ${CHOOSE}`)
  }
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
