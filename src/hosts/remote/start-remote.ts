import { createHash, randomBytes } from 'node:crypto'
import { appServerArguments } from '../local/app-server-arguments.ts'
import { MODERN_SINCE } from '../local/protection.ts'
import type { HostCodex, RemoteServer, SshHost } from '../ssh/index.ts'
import type { RemoteRecord, RemoteRecords } from './remote-record.ts'

/** What every app-server of a host is started with. */
export interface StartSettings {
  /** As in our settings: absolute, or from `~/` on. */
  readonly protect: readonly string[]
  /** More variables of the environment there for codex, by name. */
  readonly passEnv: readonly string[]
  readonly unloadThreadsAfterSecs: number
}

interface StartParts extends StartSettings {
  readonly records: RemoteRecords
  readonly destination: string
  readonly now: () => number
  readonly signal?: AbortSignal
}

/** Before, an app-server listens otherwise, or its profiles cannot protect logins. */
const SINCE = MODERN_SINCE

export function codexThere(host: SshHost, { signal }: { signal?: AbortSignal }): Promise<HostCodex> {
  return host.codex({ version: null, least: SINCE, signal })
}

/** On record before it exists; it listens when this resolves. One that may run all the same stays on record. */
export async function startRemote(
  host: SshHost,
  codexHome: string | null,
  { records, destination, now, signal, ...settings }: StartParts,
): Promise<{ readonly record: RemoteRecord; readonly server: RemoteServer }> {
  const codex = await codexThere(host, { signal })
  const places = await host.places({ codexHome, protect: settings.protect, make: true, signal })
  const record: RemoteRecord = {
    id: randomBytes(16).toString('hex'),
    ...{ host: host.spec.name, destination, codexHome },
    settings: digestOf(codexHome, settings),
    codexPath: codex.path,
    codexVersion: codex.version,
    protection: places.protection,
    startedAt: new Date(now()).toISOString(),
  }
  records.write(record)
  try {
    const server = await host.startAppServer({
      ...{ id: record.id, codex, codexHome: places.codexHome, settings: record.settings },
      startedAt: record.startedAt,
      args: argumentsOf(record, settings),
      passEnv: settings.passEnv,
      signal,
    })
    return { record, server }
  } catch (error) {
    // It said itself that it did not start. Of all else the next look there has to tell.
    if ((error as { code?: unknown }).code === 'host-server-failed') records.remove(record.id)
    throw error
  }
}

function argumentsOf({ id, protection }: RemoteRecord, { unloadThreadsAfterSecs }: StartSettings): string[] {
  const config = { thread_unload_delay_secs: `${unloadThreadsAfterSecs}` }
  return appServerArguments(id, { protection, config, args: [] })
}

export function digestOf(codexHome: string | null, { protect, passEnv, ...more }: StartSettings): string {
  const text = JSON.stringify([codexHome, protect, passEnv, more.unloadThreadsAfterSecs])
  return createHash('sha256').update(text).digest('hex')
}
