import { readdir, readFile } from 'node:fs/promises'

export interface Descriptors {
  readonly open: number
  /** How many the process may have open. */
  readonly limit: number
}

/** The file descriptors of a process; null where the system does not tell. */
export async function descriptorsOf(pid: number): Promise<Descriptors | null> {
  if (process.platform !== 'linux') return null
  try {
    const [open, limits] = await Promise.all([
      readdir(`/proc/${pid}/fd`),
      readFile(`/proc/${pid}/limits`, 'utf8'),
    ])
    const limit = /^Max open files\s+(\d+)/m.exec(limits)?.[1]
    return limit === undefined ? null : { open: open.length, limit: Number(limit) }
  } catch {
    return null
  }
}
