// The app-servers of a data folder: those that run, and those that no service serves from any more.
import { realpathSync } from 'node:fs'
import path from 'node:path'
import { appServerOf, type DetachedRecord, ownerOf } from './app-server-record.ts'
import { isAlive } from './processes.ts'
import { type ReapedAppServer, reapRecord } from './reap-orphans.ts'
import { readRecordsOf } from './registry.ts'
import { removeFiles } from './remove-files.ts'

/** Those that still run though who started them does not. A service that took them over is not known here: ask it first. */
export function leftBehind(dataDir: string): number {
  return abandoned(dataDir).records.filter(isRunning).length
}

/** Ends them with all they started, and what is left of those that have died. */
export async function endLeftBehind(dataDir: string): Promise<readonly ReapedAppServer[]> {
  const { records, registryDir } = abandoned(dataDir)
  return Promise.all(
    records.map(async (record) => {
      const reaped = await reapRecord(registryDir, record)
      if (reaped.survivors.length === 0) removeFiles(record.detached.socketPath, record.detached.stderrPath)
      return reaped
    }),
  )
}

/** Where each app-server of a data folder that runs now listens, whoever owns it. */
export function runningAppServers(
  dataDir: string,
): { readonly socketPath: string; readonly codexHome: string | null }[] {
  const scope = realOf(dataDir)
  const records = readRecordsOf(scope, path.join(scope, 'app-servers'))
  return records
    .filter(isRunning)
    .map(({ codexHome, detached }) => ({ socketPath: detached.socketPath, codexHome }))
}

function abandoned(dataDir: string): { records: DetachedRecord[]; registryDir: string } {
  const scope = realOf(dataDir)
  const registryDir = path.join(scope, 'app-servers')
  const records = readRecordsOf(scope, registryDir).filter((record) => !isAlive(ownerOf(record)))
  return { records, registryDir }
}

function isRunning(record: DetachedRecord): boolean {
  const identity = appServerOf(record)
  return identity !== null && isAlive(identity)
}

function realOf(folder: string): string {
  try {
    return realpathSync.native(folder)
  } catch {
    return path.resolve(folder) // not there: nor are records
  }
}
