import { lstat, opendir } from 'node:fs/promises'
import path from 'node:path'

/** Bytes of all files in a folder; links are not followed. null: it cannot be read. */
export async function folderSize(folder: string): Promise<number | null> {
  try {
    let bytes = 0
    for await (const entry of await opendir(folder, { recursive: true })) {
      if (!entry.isFile()) continue
      bytes += (await lstat(path.join(entry.parentPath, entry.name)).catch(() => null))?.size ?? 0
    }
    return bytes
  } catch {
    return null
  }
}
