// Copies of the database from before it was changed for good, beside it.
import { readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { backupDatabase } from './backup.ts'
import { fileTime } from './file-time.ts'

const KEPT_COPIES = 3
const IS_COPY = /^\d{4}-[\dTZ-]+-before-[\w-]+$/

/** Makes one more and forgets the oldest. Returns its path. */
export async function keepCopy(
  file: string,
  { before, now }: { before: string; now: () => number },
): Promise<string> {
  const copy = `${file}.${fileTime(now())}-before-${before}`
  await backupDatabase({ file, to: copy, overwrite: true })
  await forgetOldest(file)
  return copy
}

async function forgetOldest(file: string): Promise<void> {
  const start = `${path.basename(file)}.`
  const folder = path.dirname(file)
  const names = await readdir(folder)
  const copies = names
    .filter((name) => name.startsWith(start) && IS_COPY.test(name.slice(start.length)))
    .sort()
  for (const name of copies.slice(0, -KEPT_COPIES)) await rm(path.join(folder, name))
}
