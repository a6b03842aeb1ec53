// Why a database cannot be used, though nothing says that it is damaged: in words that name the place.
import { accessSync, constants } from 'node:fs'
import path from 'node:path'
import { StoreError } from '../store-errors.ts'
import { isDiskFull, isSqliteError } from './sqlite-error.ts'

export function unusable(file: string, cause: unknown): StoreError {
  return new StoreError('database-unusable', `cannot use ${file}: ${whyUnusable(file, cause)}`, { cause })
}

/** For what the system or SQLite refused; everything else stays what it is. */
export function unusableIfRefused(file: string, error: unknown): unknown {
  return isSqliteError(error) || isDiskFull(error) ? unusable(file, error) : error
}

export function whyUnusable(file: string, cause: unknown): string {
  const folder = path.dirname(file)
  if (isDiskFull(cause)) return `the disk of ${folder} is full. Make room, then try again`
  const { message } = cause as Error
  if (!isWritable(folder))
    return `${message}. SQLite has to write beside it, and ${folder} cannot be written: mount it for writing, or copy it to where it can`
  return `${message}. Check its owner, its rights and the disk.`
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
