import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { hostname } from 'node:os'

const BOOT_ID = '/proc/sys/kernel/random/boot_id'

/** The same for every start of a service on this folder until the machine is started again; another for a copy of it. */
export function workerPlaceOf(dataDir: string): string {
  const { dev, ino } = statSync(dataDir, { bigint: true })
  return createHash('sha256').update(`${bootId()} ${dev} ${ino}`).digest('hex').slice(0, 16)
}

/** Machines that were cloned have the same name, and another one of these. Only Linux has it. */
function bootId(): string {
  try {
    return readFileSync(BOOT_ID, 'utf8').trim()
  } catch {
    return hostname()
  }
}
