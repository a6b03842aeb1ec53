// Several task services on one PostgreSQL, each with its own data folder, codex home and app-servers, as on machines of
// their own; the model is the same scripted one.
import type { Migration } from 'kysely/migration'
import { onTestFinished } from 'vitest'
import { ServiceHosts, type ServiceHostsOptions } from '../../src/cli/serve/service-hosts.ts'
import { type AppServerPoolOptions, appServerPool } from '../../src/hosts/index.ts'
import {
  type AppServers,
  DEFAULT_SETTINGS,
  DurableTasks,
  type FleetOptions,
  type StartTask,
  type TaskHooks,
  type TaskSettings,
} from '../../src/tasks/index.ts'
import {
  type CodexHomeOptions,
  type ModelScript,
  makeCodexHome,
  makeWorkspace,
  startScriptedModel,
} from '../../src/testing/index.ts'
import { NO_NOTICES } from './no-notices.ts'
import { freshDatabase } from './postgres/fresh-database.ts'
import { openShared } from './test-store.ts'

interface Options {
  readonly home?: CodexHomeOptions
  /** Instead of a database of its own on the server of the test run. */
  readonly url?: string
  readonly fleet?: Partial<FleetOptions>
  readonly settings?: Partial<TaskSettings>
}

export interface WorkerOptions {
  readonly fleet?: Partial<FleetOptions>
  readonly settings?: Partial<TaskSettings>
  /** The way this worker takes to the database. */
  readonly url?: string
  readonly now?: () => number
  /** Those of its version of Drawbridge. */
  readonly migrations?: Readonly<Record<string, Migration>>
  /** False: what it has to recover is not waited for. */
  readonly isAwaited?: boolean
  readonly pool?: Partial<AppServerPoolOptions>
  /** Machines that are reached with ssh, as the service has them. */
  readonly sshHosts?: Partial<Omit<ServiceHostsOptions, 'db' | 'dataDir'>>
  /** As its settings have them. */
  readonly hooks?: TaskHooks
  /** Its machine has this codex and no other. */
  readonly appServers?: { readonly codexPath: string }
}

export async function openFleet(script: ModelScript, options: Options = {}) {
  const model = await startScriptedModel(script)
  onTestFinished(() => model.close())
  const home = await makeCodexHome(model, options.home)
  const workspace = await makeWorkspace()
  onTestFinished(() => Promise.all([home.remove(), workspace.remove()]).then(() => {}))
  const url = options.url ?? (await freshDatabase('migrated'))
  const folders = new Map<string, string>()

  async function dataDirOf(id: string): Promise<string> {
    const known = folders.get(id)
    if (known !== undefined) return known
    const data = await makeWorkspace()
    onTestFinished(() => data.remove())
    folders.set(id, data.path)
    return data.path
  }

  /** One worker; again under the same id after it was closed. */
  async function worker(id: string, own: WorkerOptions = {}) {
    const dataDir = await dataDirOf(id)
    const pool = appServerPool({ dataDir, ...own.pool })
    const incidents: { type: string; message: string }[] = []
    // One with a way of its own to the database can lose it.
    const onError = own.url === undefined && options.url === undefined ? undefined : () => {}
    const shared = await openShared(own.url ?? url, id, {
      ...{ onError, migrations: own.migrations },
      ...options.fleet,
      ...own.fleet,
    })
    const here = own.appServers ? only(pool, own.appServers.codexPath) : pool
    const hosts = new ServiceHosts({
      ...{ db: shared.db, dataDir, env: { PATH: process.env.PATH, HOME: dataDir }, now: Date.now },
      ...own.sshHosts,
    })
    const tasks = new DurableTasks({
      database: shared,
      fleet: shared.fleet,
      dataDir,
      hosts,
      ...(own.hooks && { hooks: own.hooks }),
      appServers: own.sshHosts ? hosts.behind(here) : here,
      settings: { ...DEFAULT_SETTINGS, notices: NO_NOTICES, ...options.settings, ...own.settings },
      now: own.now ?? Date.now,
      observer: {
        eventsStored: () => {},
        turnEnded: () => {},
        incident: (incident) => incidents.push(incident),
        broken: (error) => incidents.push({ type: 'broken', message: String(error) }),
      },
    })
    await tasks.open()
    if (own.isAwaited !== false) await tasks.recovered
    let closed: Promise<void> | null = null
    const shut = async (isEnd: boolean) => {
      await tasks.close()
      await hosts.close()
      await (isEnd ? pool.endAll() : pool.release())
      await shared.close()
    }
    /** Its app-servers live on. */
    const close = () => (closed ??= shut(false))
    onTestFinished(async () => {
      if (closed === null) {
        closed = shut(true)
        return closed
      }
      const heir = appServerPool({ dataDir })
      await heir.adopt()
      await heir.endAll()
    })
    const { bus } = shared.fleet.exchange
    return { id, tasks, hosts, pool, dataDir, db: shared.db, bus, incidents, close }
  }

  const request = (prompt: string, more: Partial<StartTask> = {}): StartTask => ({
    ...{ prompt, cwd: workspace.path, codexHome: home.path },
    ...more,
  })
  return { worker, request, model, home, cwd: workspace.path, codexHome: home.path, url }
}

/** Asks for this codex whatever a task wants. */
function only(pool: AppServers, codexPath: string): AppServers {
  return {
    canonical: (key) => pool.canonical(key),
    adopt: (options) => pool.adopt(options),
    get: (key, options) => pool.get({ ...key, codexPath }, options),
    list: () => pool.list(),
    release: () => pool.release(),
  }
}
