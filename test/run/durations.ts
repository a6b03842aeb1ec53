// How long each test file took when that was last written down: for the order of files, and for estimates.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const FILE = fileURLToPath(new URL('durations.json', import.meta.url))
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** For a file that is not in the table yet. */
const UNKNOWN_SECONDS = 3

const known = JSON.parse(readFileSync(FILE, 'utf8')) as Readonly<Record<string, number>>

export function secondsOf(file: string): number {
  return known[nameOf(file)] ?? UNKNOWN_SECONDS
}

/** Files that were not run keep their figure; those that are gone lose it. */
export function writeDurations(
  seconds: ReadonlyMap<string, number>,
  exists: (file: string) => boolean,
): void {
  const measured = [...seconds].map(([file, value]) => [nameOf(file), Math.ceil(value)] as const)
  const kept = Object.entries(known).filter(([name]) => exists(path.join(ROOT, name)))
  const all = Object.entries({ ...Object.fromEntries(kept), ...Object.fromEntries(measured) })
  const slow = all.filter(([, value]) => value > UNKNOWN_SECONDS).sort(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(slow), null, 2)}\n`)
}

function nameOf(file: string): string {
  return path.relative(ROOT, file).replaceAll(path.sep, '/')
}
