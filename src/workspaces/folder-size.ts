import { lstat, opendir } from 'node:fs/promises'
import path from 'node:path'
import type { Machine } from '../hosts/index.ts'

/** Bytes of all files in a folder; links are not followed. null: it cannot be read. */
export async function folderSize(machine: Machine, folder: string): Promise<number | null> {
  if (machine.host === null) return sizeHere(folder)
  // By the blocks that they take there.
  const { exitCode, stdout } = await machine.run({ program: 'du', args: ['-sk', folder] })
  return exitCode === 0 ? Number.parseInt(stdout.toString(), 10) * 1024 : null
}

async function sizeHere(folder: string): Promise<number | null> {
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
