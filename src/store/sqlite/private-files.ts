// Files and folders that nobody else may look into.
import { chmod, lstat, mkdir, open, readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { StoreError } from '../store-errors.ts'

/** Empty; rejects with `EEXIST` when there is one. What SQLite puts beside a file gets the same mode. */
export async function createPrivately(file: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  await handle.close()
}

/** Makes the folder of these files, and takes everybody else's access away from it and from those that are there. */
export async function makePrivate(files: readonly string[]): Promise<void> {
  const folder = path.dirname(files[0]!)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await closeFolder(
    folder,
    files.map((file) => path.basename(file)),
  )
  for (const file of files) await chmodIfThere(file)
}

/** One that has other things in it is somebody else's: to close `/tmp` or `/etc` would be worse than to refuse. */
async function closeFolder(folder: string, ours: readonly string[]): Promise<void> {
  const { mode } = await stat(folder)
  if ((mode & 0o077) === 0) return
  const names = await readdir(folder)
  if (names.length > 0 && !names.some((name) => ours.includes(name)))
    throw new StoreError(
      'database-unusable',
      `${folder} has other things in it and is open to others. Choose a folder of its own, or make it private: chmod 700`,
    )
  await chmod(folder, 0o700)
}

async function chmodIfThere(file: string): Promise<void> {
  const facts = await lstat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (facts?.isSymbolicLink())
    throw new StoreError(
      'database-unusable',
      `${file} is a symbolic link, and private files are not followed elsewhere: choose the folder it leads to`,
    )
  if (facts) await chmod(file, 0o600)
}

/** So that a new name, or an old one gone, survives a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
