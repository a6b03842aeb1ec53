import { lstatSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'

/**
 * Where an absolute path really leads: links followed, then `..` taken, as the system does. Of a path whose end does
 * not exist, the real folder plus the rest. Null when that cannot be told. `~` alone is the home folder.
 */
export function realPath(place: string): string | null {
  if (place === '~') return realPath(homedir())
  try {
    // Not `realpathSync` itself: it takes `..` before it follows links.
    return realpathSync.native(place)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? realPathOfMissing(place) : null
  }
}

function realPathOfMissing(place: string): string | null {
  const [, folder, name] = /^(.*?)\/+([^/]+)\/*$/s.exec(place) ?? []
  if (name === undefined || name === '..') return null
  if (name !== '.' && isLink(place)) return null // it leads to something that is not there
  const real = realPath(folder || '/')
  return real === null ? null : path.join(real, name)
}

function isLink(place: string): boolean {
  return lstatSync(place.replace(/\/+$/, ''), { throwIfNoEntry: false })?.isSymbolicLink() ?? false
}
