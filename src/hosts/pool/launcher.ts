// Starts codex for the pool, or takes over what an earlier service started: over a socket where that can be, else over pipes.
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { isAtLeast } from '../../codex/index.ts'
import type { DetachedRecord } from '../app-server-record.ts'
import { adopt } from '../detached/adopt.ts'
import { removeStraySockets, socketFolder, socketPath } from '../detached/socket-path.ts'
import { startDetached } from '../detached/start-detached.ts'
import { removeStrayLogs, stderrPath } from '../detached/stderr-log.ts'
import {
  type LocalCodex,
  type LocalHostOptions,
  localCodex,
  type SuitableCodex,
} from '../local/local-codex.ts'
import { makeSocketsFolder } from '../local/protection.ts'
import { startAppServer } from '../local/start-app-server.ts'
import { reapOrphans } from '../reap-orphans.ts'
import { readRecordsOf } from '../registry.ts'
import { type AppServerProcess, overPipes, overSocket } from './app-server-process.ts'
import type { AppServerLimits } from './limits.ts'
import type { AppServerKey } from './pooled-app-server.ts'

/** Older ones have the listener, but speak frames on it without the upgrade that begins a WebSocket (0.125). */
const UNIX_LISTENER_SINCE = '0.130.0'

/** For no host: earlier versions had the tasks of this machine and of all hosts in one. No host can be called so. */
export const SHARED = '*'

export interface LauncherOptions {
  readonly dataDir: string
  readonly host: Omit<LocalHostOptions, 'codexPath' | 'codexHome' | 'registryDir'>
  readonly transport: 'auto' | 'stdio'
  readonly limits: AppServerLimits
  readonly now: () => number
}

export interface Adopted {
  readonly key: AppServerKey
  readonly process: AppServerProcess
}

export class Launcher {
  readonly #options: LauncherOptions
  readonly #registryDir: string
  readonly #logDir: string

  constructor(options: LauncherOptions) {
    mkdirSync(options.dataDir, { recursive: true, mode: 0o700 })
    // The same folder by another name must find the same records.
    const dataDir = realpathSync.native(options.dataDir)
    this.#options = { ...options, dataDir }
    this.#registryDir = path.join(dataDir, 'app-servers')
    this.#logDir = path.join(dataDir, 'app-server-logs')
  }

  async start(key: AppServerKey, { signal }: { signal: AbortSignal }): Promise<AppServerProcess> {
    const local = this.#local(key)
    const { codex, reportStart } = await local.prepare({ signal })
    try {
      signal.throwIfAborted()
      const isDetached = this.#canDetach(codex.version)
      const startedAt = this.#options.now()
      if (!isDetached) {
        const protection = local.protection(codex, { socketFolder: null })
        const appServer = await startAppServer({ ...local.settings, codex, reportStart, protection })
        if (signal.aborted) await appServer.close()
        signal.throwIfAborted()
        return overPipes(appServer, { codexPath: codex.path, startedAt })
      }
      const process = await this.#startDetached({ key, local, codex, startedAt }, signal)
      reportStart(true)
      return process
    } catch (error) {
      reportStart(false)
      throw error
    }
  }

  /** Those of our data folder that live and answer, except the ones named; everything else of ours is ended. */
  async adopt({ except, signal }: { except: ReadonlySet<string>; signal?: AbortSignal }): Promise<Adopted[]> {
    await reapOrphans(this.#registryDir)
    const records = this.#records().filter(({ id }) => !except.has(id))
    const adopted = await Promise.all(records.map((record) => this.#adopt(record, signal)))
    this.#removeStrays()
    return adopted.filter((one) => one !== null)
  }

  /** Why this one should take no new threads: a new one would be another codex, or be set up otherwise. */
  async whyOutdated(key: AppServerKey, running: AppServerProcess): Promise<string | null> {
    try {
      const local = this.#local(key)
      const codex = await local.inspect({})
      if (codex.path !== running.codexPath) return `codex is now ${codex.path}`
      if (codex.version !== running.codexVersion) return `codex is now ${codex.version}`
      return this.whyUnprotected(key, running)
    } catch {
      return null // a codex that cannot be started now is no reason to give up one that runs
    }
  }

  /** Why its commands could read more than those of a new one; null when they could not. */
  whyUnprotected(key: AppServerKey, { protection, outlivesUs }: AppServerProcess): string | null {
    const socketFolder = outlivesUs ? this.#socketFolder() : null
    return protection && this.#local(key).whyUnprotected(protection, { socketFolder })
  }

  hasOtherSettings(id: string): boolean {
    return this.#records().some(
      (record) => record.id === id && record.detached.settings !== this.#settings(id),
    )
  }

  async #startDetached(
    { key, local, codex, startedAt }: DetachedParts,
    signal: AbortSignal,
  ): Promise<AppServerProcess> {
    const id = randomBytes(16).toString('hex')
    makeSocketsFolder()
    const { dataDir, limits } = this.#options
    const socketFolder = this.#socketFolder()
    const detached = {
      scope: dataDir,
      socketPath: socketPath(socketFolder, id),
      stderrPath: stderrPath(this.#logDir, id),
      key,
      settings: this.#settings(id),
      protection: local.protection(codex, { socketFolder }),
    }
    const start = { ...this.#channel(local), id, codex, settings: local.settings, detached, startedAt }
    return overSocket(await startDetached(start, { timeoutMs: limits.startTimeoutMs, signal }))
  }

  async #adopt(record: DetachedRecord, signal: AbortSignal | undefined): Promise<Adopted | null> {
    const { key: written } = record.detached
    const key = { ...written, execHost: written.execHost === undefined ? SHARED : written.execHost }
    const timeoutMs = this.#options.limits.adoptTimeoutMs
    const adopted = await adopt(record, { ...this.#channel(this.#local(key)), timeoutMs, signal })
    return adopted && { key, process: overSocket(adopted) }
  }

  #records(): DetachedRecord[] {
    return readRecordsOf(this.#options.dataDir, this.#registryDir)
  }

  #channel({ settings: { maxLineBytes } }: LocalCodex) {
    return { registryDir: this.#registryDir, maxLineBytes, pingEveryMs: this.#options.limits.pingEveryMs }
  }

  #local({ codexPath, codexHome }: AppServerKey): LocalCodex {
    const named = { ...(codexPath !== null && { codexPath }), ...(codexHome !== null && { codexHome }) }
    const { host, dataDir } = this.#options
    const protect = [...(host.protect ?? []), dataDir]
    return localCodex({ ...host, ...named, protect, registryDir: this.#registryDir })
  }

  #canDetach(codexVersion: string): boolean {
    if (this.#options.transport === 'stdio' || process.platform === 'win32') return false
    return isAtLeast(codexVersion, UNIX_LISTENER_SINCE)
  }

  /** Hashed with the id: the variables may be secrets. */
  #settings(id: string): string {
    const { args, config, extraEnv, passEnv, protect, env = process.env } = this.#options.host
    const passed = passEnv?.map((name) => env[name] ?? null)
    return createHash('sha256')
      .update(JSON.stringify([id, args, config, extraEnv, passEnv, passed, protect]))
      .digest('hex')
  }

  #socketFolder(): string {
    return socketFolder(this.#options.dataDir, { env: this.#options.host.env ?? process.env })
  }

  #removeStrays(): void {
    const known = this.#records().map(({ detached }) => detached)
    removeStrayLogs(
      this.#logDir,
      known.map((facts) => facts.stderrPath),
    )
    removeStraySockets(
      this.#socketFolder(),
      known.map((facts) => facts.socketPath),
    )
  }
}

interface DetachedParts {
  readonly key: AppServerKey
  readonly local: LocalCodex
  readonly codex: SuitableCodex
  readonly startedAt: number
}
