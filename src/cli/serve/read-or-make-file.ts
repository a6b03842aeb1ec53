import { readFileSync, writeFileSync } from 'node:fs'

/** The one line of a file that only its owner may read; made when there is none. The data folder has one user at a time. */
export function readOrMakeFile(file: string, make: () => string): string {
  try {
    const line = readFileSync(file, 'utf8').trim()
    if (line !== '') return line
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const line = make()
  writeFileSync(file, `${line}\n`, { mode: 0o600 })
  return line
}
