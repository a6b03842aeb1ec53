import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** What the service of this data folder is called among the workers of a shared database; made when there is none. */
export function workerIdOf(dataDir: string): string {
  const file = path.join(dataDir, 'worker-id')
  try {
    const line = readFileSync(file, 'utf8').trim()
    if (line !== '') return line
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const id = randomUUID()
  writeFileSync(file, `${id}\n`, { mode: 0o600 })
  return id
}
