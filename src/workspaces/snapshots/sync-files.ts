// Puts files on disk that were written before: many at once, which costs far less than one after the other.
import { execFile } from 'node:child_process'
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'

/** From so many on, the whole file system is synced instead. */
const MANY = 32
const AT_ONCE = 4

/** `folder`: one that all of them are in. */
export async function syncFiles(files: readonly string[], folder: string): Promise<void> {
  if (files.length >= MANY && (await syncFileSystem(folder))) return
  await each(files, (file) => synced(file, 'r+'))
}

/** The names in them. */
export async function syncFolders(folders: readonly string[]): Promise<void> {
  await each(folders, (folder) => synced(folder, 'r'))
}

/** Node has no syncfs(2): `sync -f` calls it, where there is one that does. */
async function syncFileSystem(folder: string): Promise<boolean> {
  if (process.platform !== 'linux') return false
  return promisify(execFile)('sync', ['-f', folder]).then(
    () => true,
    () => false,
  )
}

async function synced(place: string, flags: string): Promise<void> {
  const file = await open(place, flags)
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

async function each(places: readonly string[], work: (place: string) => Promise<void>): Promise<void> {
  const rest = places.values()
  const one = async () => {
    for (const place of rest) await work(place)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, one))
}
