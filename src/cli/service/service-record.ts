// service.json: where the service of a data folder is, for commands that want to speak to it. The lock of the database,
// not this file, says who may serve: a stale one is ignored.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

export interface ServiceRecord {
  readonly pid: number
  readonly version: string
  readonly startedAt: number
  /** For commands on this machine; null while it starts. */
  readonly url: string | null
  /** PEM, of a service with TLS. */
  readonly certificate: string | null
}

/** What a service in the background exits with when another was quicker. */
export const IN_USE_EXIT = 75

function serviceFile(dataDir: string): string {
  return path.join(dataDir, 'service.json')
}

/** null when there is none, or its process is gone. */
export function readServiceRecord(dataDir: string): ServiceRecord | null {
  try {
    const record = JSON.parse(readFileSync(serviceFile(dataDir), 'utf8')) as ServiceRecord
    return Number.isSafeInteger(record.pid) && isRunning(record.pid) ? record : null
  } catch {
    return null
  }
}

/** Whether the last service ended without taking its record along: it was killed, not stopped. */
export function wasServiceKilled(dataDir: string): boolean {
  return existsSync(serviceFile(dataDir)) && readServiceRecord(dataDir) === null
}

export function writeServiceRecord(dataDir: string, record: ServiceRecord): void {
  const unfinished = `${serviceFile(dataDir)}.${record.pid}.tmp`
  rmSync(unfinished, { force: true })
  writeFileSync(unfinished, `${JSON.stringify(record)}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(unfinished, serviceFile(dataDir))
}

export function removeServiceRecord(dataDir: string, pid: number): void {
  if (readServiceRecord(dataDir)?.pid === pid) rmSync(serviceFile(dataDir), { force: true })
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
