// Copies of the database beside it: from before a migration, and one a day. A repair starts from the newest good one.
import { readdir, rm, stat, statfs } from 'node:fs/promises'
import path from 'node:path'
import { backupDatabase } from './backup.ts'
import { fileTime, timeOfName } from './file-time.ts'

/** Of each kind. */
const KEPT_COPIES = 3
const DAY_MS = 24 * 60 * 60 * 1000
const COPY = /^(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z)-(daily|before)(?:-[\w-]+)?$/
const UNFINISHED_DAILY = /-daily\.\d+\.unfinished/

export interface KeptCopy {
  readonly file: string
  readonly at: number
  readonly kind: 'daily' | 'before'
}

export type DailyCopy =
  | { readonly status: 'made'; readonly file: string }
  /** The newest is less than a day old. */
  | { readonly status: 'not-due' }
  | { readonly status: 'no-room'; readonly freeBytes: number; readonly neededBytes: number }

export interface DailyCopyOptions {
  readonly now: () => number
  /** Makes the copy and checks it; default: in this process. */
  readonly make?: ((to: string) => Promise<unknown>) | undefined
  readonly freeBytes?: ((folder: string) => Promise<number>) | undefined
}

/** Newest first. */
export async function copiesOf(file: string): Promise<KeptCopy[]> {
  const copies = (await namesBeside(file)).flatMap(({ name, suffix }): KeptCopy[] => {
    const [, time, kind] = COPY.exec(suffix) ?? []
    return time ? [{ file: name, at: timeOfName(time), kind: kind as KeptCopy['kind'] }] : []
  })
  return copies.sort((a, b) => b.at - a.at)
}

/** Makes one more and forgets the oldest. Returns its path. */
export async function keepCopy(
  file: string,
  { before, now }: { before: string; now: () => number },
): Promise<string> {
  const copy = `${file}.${fileTime(now())}-before-${before}`
  await backupDatabase({ file, to: copy, overwrite: true })
  await forgetOldest(file, 'before')
  return copy
}

/** Makes today's copy if there is none yet, and forgets the oldest. Leaves no unfinished file when it rejects. */
export async function keepDailyCopy(file: string, options: DailyCopyOptions): Promise<DailyCopy> {
  const { now, make = (to) => backupDatabase({ file, to }), freeBytes = freeBytesOf } = options
  const at = now()
  const isRecent = (copy: KeptCopy) => copy.kind === 'daily' && copy.at <= at && at - copy.at < DAY_MS
  if ((await copiesOf(file)).some(isRecent)) return { status: 'not-due' }
  const room = { freeBytes: await freeBytes(path.dirname(file)), neededBytes: 2 * (await stat(file)).size }
  if (room.freeBytes < room.neededBytes) return { status: 'no-room', ...room }
  const copy = `${file}.${fileTime(at)}-daily`
  try {
    await make(copy)
  } finally {
    await removeUnfinished(file)
  }
  await forgetOldest(file, 'daily')
  return { status: 'made', file: copy }
}

async function forgetOldest(file: string, kind: KeptCopy['kind']): Promise<void> {
  const copies = (await copiesOf(file)).filter((copy) => copy.kind === kind)
  for (const copy of copies.slice(KEPT_COPIES)) await rm(copy.file)
}

/** What a process that was killed while copying has left, this time or earlier. */
async function removeUnfinished(file: string): Promise<void> {
  for (const { name, suffix } of await namesBeside(file))
    if (UNFINISHED_DAILY.test(suffix)) await rm(name, { force: true })
}

async function namesBeside(file: string): Promise<{ name: string; suffix: string }[]> {
  const start = `${path.basename(file)}.`
  const folder = path.dirname(file)
  const names = (await readdir(folder)).filter((name) => name.startsWith(start))
  return names.map((name) => ({ name: path.join(folder, name), suffix: name.slice(start.length) }))
}

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
