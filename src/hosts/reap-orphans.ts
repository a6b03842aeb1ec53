// Ends what dead Drawbridges left running.
import { type AppServerRecord, appServerOf, ownerOf } from './app-server-record.ts'
import { type EndedTree, endTree } from './local/end-tree.ts'
import { removeDeadLocks } from './owner-lock.ts'
import { couldBeHere, isAlive, signal } from './processes.ts'
import { readRecords, removeRecord } from './registry.ts'

const FOREIGN_RECORD_KEPT_MS = 7 * 24 * 60 * 60 * 1_000

export interface ReapedAppServer extends EndedTree {
  readonly record: AppServerRecord
  /** Whether the app-server itself was still running, not only what it had left behind. */
  readonly wasRunning: boolean
}

/**
 * Ends every app-server whose owner is dead, with all it started, and removes its record. Those with a living owner
 * are not touched, nor those of a service, which may merely be restarting. Safe to run from several processes at once.
 */
export async function reapOrphans(registryDir: string): Promise<ReapedAppServer[]> {
  removeDeadLocks(registryDir)
  const orphans = readRecords(registryDir).filter((record) => !record.detached && !isAlive(ownerOf(record)))
  return Promise.all(orphans.map((record) => reapRecord(registryDir, record)))
}

/** Ends this app-server and what it left behind, whoever owns it. The record stays when something could not be ended. */
export async function reapRecord(registryDir: string, record: AppServerRecord): Promise<ReapedAppServer> {
  const identity = appServerOf(record)
  // After a reboot, or from another container, there is nothing here to end.
  const isHere = couldBeHere(ownerOf(record))
  const wasRunning = identity !== null && isAlive(identity)
  const ended = isHere
    ? await endTree({
        identity,
        marker: record.id,
        hasSession: wasRunning,
        sessionName: record.session ?? null,
        isGone: () => identity === null || !isAlive(identity),
        signal: (name) => identity && signal(identity, name),
      })
    : { leftovers: [], survivors: [] }
  // Another machine or container that shares this folder may still need its own record.
  const isSettled = isHere ? ended.survivors.length === 0 : isOld(record)
  if (isSettled) removeRecord(registryDir, record.id)
  return { record, wasRunning, ...ended }
}

function isOld({ startedAt }: AppServerRecord): boolean {
  return Date.now() - Date.parse(startedAt) > FOREIGN_RECORD_KEPT_MS
}
