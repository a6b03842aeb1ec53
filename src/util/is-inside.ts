import { lstatSync, realpathSync } from 'node:fs'
import path from 'node:path'

/**
 * Whether a path is one of these folders or in one of them, by real paths: no link leads out of them. What cannot be
 * told is not.
 */
export function isInside(folders: readonly string[], place: string): boolean {
  const real = realPath(place)
  if (real === null) return false
  return folders.some((folder) => {
    const holder = realPath(folder)
    return holder !== null && contains(holder, real)
  })
}

/** The same by names alone, of absolute paths on another machine: links are not looked at. */
export function isBelow(folder: string, place: string): boolean {
  const way = path.posix.relative(folder, place)
  return place.startsWith('/') && (way === '' || (way !== '..' && !way.startsWith('../')))
}

function contains(folder: string, place: string): boolean {
  const way = path.relative(folder, place)
  return way === '' || (!path.isAbsolute(way) && way !== '..' && !way.startsWith(`..${path.sep}`))
}

/** Of a path that is not there, the part that is. null: a link that leads nowhere, or a folder that cannot be entered. */
function realPath(place: string): string | null {
  const absolute = path.resolve(place)
  try {
    return realpathSync.native(absolute)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || isThere(absolute)) return null
    const above = path.dirname(absolute)
    const real = above === absolute ? null : realPath(above)
    return real === null ? null : path.join(real, path.basename(absolute))
  }
}

function isThere(place: string): boolean {
  return lstatSync(place, { throwIfNoEntry: false }) !== undefined
}
