// The running service of a data folder, if there is one.
import type { DrawbridgeClient } from '../../api/index.ts'
import { DrawbridgeError } from '../../codex/index.ts'
import { actorName } from '../process/index.ts'
import { serviceFetch } from './service-fetch.ts'
import { readServiceRecord, type ServiceRecord } from './service-record.ts'

export interface RunningService {
  readonly client: DrawbridgeClient
  readonly record: ServiceRecord & { readonly url: string }
  /** No turn begins there any more. */
  readonly isStopping: boolean
}

const PROBE_MS = 5_000

/**
 * null when none runs. What the file says is believed only if the process it names answers, and to our token. The client
 * acts as the named token `as`.
 */
export async function findService(
  dataDir: string,
  { timeoutMs = PROBE_MS, as }: { timeoutMs?: number; as?: string } = {},
): Promise<RunningService | null> {
  const record = readServiceRecord(dataDir)
  if (!record?.url) return null
  // Only now: when none runs, nothing of it is needed.
  const { connect, readToken } = await import('../../api/index.ts')
  const token = readToken(dataDir)
  if (!token) return null
  const locate = () => placeOf(readServiceRecord(dataDir), readToken(dataDir))
  const options = { ...placeOf(record, token)!, actor: actorName(), locate }
  const status = await connect({ ...options, timeoutMs })
    .status()
    .catch((error: unknown) => (isWithoutDatabase(error) ? { pid: record.pid, isStopping: false } : null))
  if (status?.pid !== record.pid) return null
  return {
    client: connect({ ...options, as }),
    record: { ...record, url: record.url },
    isStopping: status.isStopping,
  }
}

/** It is there, and each call says what is wrong. */
function isWithoutDatabase(error: unknown): boolean {
  return error instanceof DrawbridgeError && error.code.startsWith('database-')
}

/** null while nobody serves. */
function placeOf(record: ServiceRecord | null, token: string | null) {
  if (!record?.url || !token) return null
  const { url, certificate } = record
  return { url, token, fetch: serviceFetch(certificate) }
}
