// The composition root of the service: introduces the rooms to each other, in the order they need each other, and lets
// go of them in the other.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Accounts } from '../../accounts/index.ts'
import {
  type ApiMetrics,
  type LoginLink,
  makeApiMetrics,
  type ServedApi,
  type SharedStore,
  serveApi,
} from '../../api/index.ts'
import { registerSecrets, VERSION } from '../../codex/index.ts'
import type { Settings } from '../../config/index.ts'
import { type AppServerPool, appServerPool, realPath } from '../../hosts/index.ts'
import { type Exchange, openStore, type Queue, type Store } from '../../store/index.ts'
import {
  type DurableTasks,
  type DurableTasksOptions,
  hostOfHome,
  type OutgoingNotice,
  type Task,
} from '../../tasks/index.ts'
import { knownSecrets, removeServiceRecord, writeServiceRecord } from '../service/index.ts'
import { defaultCodexHome, guardOf, TrustPlace } from '../trust/index.ts'
import { isAccountHome, openAccounts } from './accounts.ts'
import { direct, localUrl } from './addresses.ts'
import { DatabaseOutage } from './database-outage.ts'
import { demoHome, demoOffer } from './demo-home.ts'
import { DemoModel } from './demo-model.ts'
import { DemoTasks } from './demo-tasks.ts'
import { credentialsOf, forgetOldDoors } from './doors-of-fleet.ts'
import { openFleet } from './fleet.ts'
import type { Backups } from './keep-backups.ts'
import { type KeepClean, keepClean } from './keep-clean.ts'
import { keepPruning } from './keep-pruning.ts'
import { listenFrom } from './listen-from.ts'
import { mayLackLogin } from './may-lack-login.ts'
import { mcpDoor } from './mcp-door.ts'
import { observeTasks } from './observe-tasks.ts'
import { openServiceTools, toolDoor } from './open-tools.ts'
import { backupsOf, doctorOf, queueOf } from './service-care.ts'
import type { ServiceDoctor } from './service-doctor.ts'
import { ServiceFiles } from './service-files.ts'
import { serviceHooks } from './service-hooks.ts'
import { ServiceHosts } from './service-hosts.ts'
import type { ServiceTools } from './service-tools.ts'
import { ServiceWorkspaces, snapshotsFor } from './service-workspaces.ts'
import { databaseNews, takeOver } from './start-news.ts'
import { taskSettings } from './task-settings.ts'
import { tokenRows } from './token-rows.ts'

export interface ServiceOptions {
  readonly dataDir: string
  readonly env: NodeJS.ProcessEnv
  /** The program and the arguments that run this command line again. */
  readonly self: readonly [string, ...string[]]
  readonly settings: Settings
  readonly host: string
  /** null: 4100, or the next that is free. */
  readonly port: number | null
  readonly tls: { readonly cert: string; readonly key: string } | null
  readonly insecure: boolean
  /** One line for whoever operates it: what was done at the start, what went wrong since. */
  readonly tell: (line: string) => void
  readonly onLocalNotice: (notice: OutgoingNotice) => void
  /** The store is gone: nothing can be kept any more. */
  readonly onBroken: (error: unknown) => void
  /** Somebody with the token wants it to end. */
  readonly onShutdown: (request: { drain: boolean }) => void
  /** Ends a start that waits for its database. */
  readonly signal: AbortSignal
}

export interface Service {
  readonly url: string
  /** Where everything is kept, for people. */
  readonly store: Pick<Store, 'kind' | 'shownPlace'>
  makeLoginLink(): Promise<LoginLink>
  /** No turn begins any more; resolves when none runs, or with the signal. */
  drain(options: { signal: AbortSignal }): Promise<void>
  running(): Promise<readonly Task[]>
  /** Turns go on in their app-servers, to be taken over by the next service; with `endAppServers` they end too. */
  close(options: { endAppServers: boolean }): Promise<void>
}

const DEFAULT_PORT = 4100
const DAY_MS = 24 * 60 * 60 * 1000
/** Where the built console is, seen from the built cli and from its source. */
const CONSOLES = ['../console', '../../../dist/console'].map((place) =>
  fileURLToPath(new URL(place, import.meta.url)),
)

/** Rejects when the data folder is in use, or the address cannot be had; nothing is left open then. */
export async function openService(options: ServiceOptions): Promise<Service> {
  const { dataDir } = options
  // Before anything is stored or told. The token adds itself whenever it is read.
  registerSecrets(knownSecrets(options.settings, dataDir))
  const { settings, tell, signal } = options
  const database = await openStore({
    dataDir,
    url: settings.database,
    now: Date.now,
    onWaiting: tell,
    signal,
  })
  const record = {
    pid: process.pid,
    version: VERSION,
    startedAt: Date.now(),
    certificate: options.tls?.cert ?? null,
  }
  try {
    for (const line of databaseNews(database)) options.tell(line)
    writeServiceRecord(dataDir, { ...record, url: null })
    const parts = await openParts(database, options)
    const service = running(parts, { database, dataDir })
    try {
      await database.announce(parts.door.url)
      writeServiceRecord(dataDir, { ...record, url: localUrl(parts.door.url) })
      return service
    } catch (error) {
      await service.close({ endAppServers: false })
      throw error
    }
  } catch (error) {
    removeServiceRecord(dataDir, process.pid)
    await database.close()
    throw error
  }
}

interface Parts {
  readonly pool: AppServerPool
  readonly tasks: DurableTasks
  readonly demo: DemoModel
  readonly door: ServedApi
  readonly doctor: ServiceDoctor
  /** null on SQLite. */
  readonly exchange: Exchange | null
  readonly queue: Queue
  readonly outage: DatabaseOutage
  /** null: the settings want none, or it is not SQLite. */
  readonly backups: Backups | null
  readonly clean: KeepClean
  readonly tools: ServiceTools
  readonly accounts: Accounts
  readonly hosts: ServiceHosts
  readonly workspaces: ServiceWorkspaces
}

async function openParts(database: Store, options: ServiceOptions): Promise<Parts> {
  const { dataDir, env, settings, tell } = options
  const guard = guardOf({ dataDir, env, settings, tell })
  const host = { env, extraEnv: direct(env), passEnv: settings.passEnv, protect: guard.protect }
  const isExclusive = (home: string) => isAccountHome(dataDir, home)
  const pool = appServerPool({ dataDir, host, isExclusive, limits: settings.appServers })
  const accounts = openAccounts({ ...options, database, pool, host })
  const demo = new DemoModel(dataDir, env)
  const offer = demoOffer(dataDir, env)
  const metrics = await makeApiMetrics()
  const doctor = doctorOf(options)
  let door: ServedApi | null = null
  const outage = new DatabaseOutage({ tell, isReachable: () => database.isReachable() })
  const onBusError = (error: unknown) => void outage.hearOfPart(error, () => tell(`bus: ${String(error)}`))
  const fleet = await openFleet(database, {
    ...{ dataDir, settings, onError: onBusError },
    url: () => door?.url ?? null,
  })
  const queue = await queueOf(options, outage).catch(async (error: unknown) => {
    await fleet?.exchange.close()
    throw error
  })
  const machineOf = (name: string) => hosts.machine(name)
  const tools = await openServiceTools({ ...options, protect: guard.protect, machineOf }, () => tasks)
  const remote = {
    limits: settings.appServers,
    protect: settings.protectedPaths,
    passEnv: settings.passEnv,
  }
  const hosts = new ServiceHosts({ db: database.db, dataDir, env, now: Date.now, remote })
  const workspaces = new ServiceWorkspaces({
    ...{ db: database.db, dataDir, env, tell, now: Date.now, machineOf },
    ...snapshotsFor(options, tools),
    root: settings.workspaces.folder,
    workerId: fleet?.options.id ?? null,
    isTrusted: (cwd) => guard.trustOf({ cwd, codexHome: null }).trustedRoot !== undefined,
  })
  const { folder, ...limits } = settings.uploads
  const files = new ServiceFiles({
    ...{ db: database.db, dataDir, env, folder, limits, protect: guard.protect },
    ...{ store: `${database.kind} ${database.shownPlace}`, now: Date.now },
    workerId: fleet?.options.id ?? null,
  })
  const taskOptions: DurableTasksOptions = {
    tools,
    database,
    dataDir,
    fleet: fleet?.options ?? null,
    appServers: hosts.behind(demo.behind(accounts.appServers)),
    accounts: accounts.forTasks,
    trustOf: guard.trustOf,
    hosts,
    workspaces,
    hooks: serviceHooks({ settings, dataDir, env, machineOf }),
    // The demo makes its home when it is first used.
    mayLackLogin: (home) =>
      home !== demoHome(dataDir) &&
      hostOfHome(home) === null &&
      (home === null || !isAccountHome(dataDir, home)) &&
      mayLackLogin(home ?? defaultCodexHome(env)),
    settings: taskSettings(settings, { local: options.onLocalNotice, url: () => door?.url ?? null }),
    now: Date.now,
    observer: observeTasks(options, { metrics, outage, database }),
  }
  const tasks: DemoTasks = new DemoTasks(taskOptions, { offer, env })
  try {
    await workspaces.open()
    await files.sweep({ isStart: true }).catch((error) => tell(`old uploads stay: ${String(error)}`))
    await takeOver(tasks, pool, { tell })
    const credentials = fleet ? await credentialsOf(database, fleet) : undefined
    door = await openDoor(
      { database, tasks, metrics, doctor, offer, credentials, tools, accounts, hosts, workspaces, files },
      options,
    )
    const afterwards = () => files.sweep({ isStart: false })
    await keepPruning(queue, database, { dataDir, retention: settings.retention, tell, outage, afterwards })
    if (fleet)
      await queue.every('doors', { everyMs: DAY_MS }, async () => void (await forgetOldDoors(database)))
    return {
      pool,
      tasks,
      demo,
      door,
      doctor,
      exchange: fleet?.exchange ?? null,
      queue,
      outage,
      backups: settings.backup.daily ? backupsOf(database, options) : null,
      clean: keepClean(workspaces, { afterDays: settings.workspaces.cleanAfterDays, tell }),
      tools,
      accounts,
      hosts,
      workspaces,
    }
  } catch (error) {
    outage.stop()
    await queue.stop({ deadlineMs: 0 })
    await door?.close()
    await tasks.close()
    await tools.close()
    await hosts.close()
    await workspaces.close()
    await fleet?.exchange.close()
    await pool.release()
    await accounts.close()
    await demo.close()
    throw error
  }
}

interface DoorParts {
  readonly database: Store
  readonly tasks: DurableTasks
  readonly metrics: ApiMetrics
  readonly doctor: ServiceDoctor
  readonly offer: ReturnType<typeof demoOffer>
  readonly credentials: SharedStore | undefined
  readonly tools: ServiceTools
  readonly accounts: Accounts
  readonly hosts: ServiceHosts
  readonly workspaces: ServiceWorkspaces
  readonly files: ServiceFiles
}

function openDoor(
  {
    database,
    tasks,
    metrics,
    doctor,
    offer,
    credentials,
    tools,
    accounts,
    hosts,
    workspaces,
    files,
  }: DoorParts,
  options: ServiceOptions,
): Promise<ServedApi> {
  const { dataDir, host, port, tls, insecure, settings, tell, env } = options
  const serve = (onPort: number) =>
    serveApi({
      service: tasks,
      credentials,
      tokens: tokenRows(database.db),
      dataDir,
      host,
      port: onPort,
      metrics,
      insecure,
      tls: tls ?? undefined,
      allowHosts: settings.allowHosts,
      publicUrl: settings.baseUrl ?? undefined,
      consoleDir: CONSOLES.find((folder) => existsSync(path.join(folder, 'index.html'))),
      database: { kind: database.kind, place: database.shownPlace },
      isReady: () => database.isReachable(),
      offers: { demo: offer, defaultCwd: env.PWD ?? null },
      doctor: () => doctor.check(),
      tools: toolDoor(tools),
      accounts,
      hosts,
      ...{ workspaces, snapshots: workspaces.snapshotsOf(tasks) },
      files,
      trust: new TrustPlace({ dataDir, env, protectedPaths: settings.protectedPaths, now: Date.now }),
      mcp: mcpDoor({ onError: (error) => tell(`a tool call failed: ${String(error)}`) }),
      resolvePath: realPath,
      onShutdown: options.onShutdown,
      onError: (error, requestId) => tell(`request ${requestId} failed: ${String(error)}`),
    })
  return port === null ? listenFrom(DEFAULT_PORT, serve) : serve(port)
}

function running(
  {
    pool,
    tasks,
    demo,
    door,
    doctor,
    exchange,
    queue,
    outage,
    backups,
    clean,
    tools,
    accounts,
    hosts,
    workspaces,
  }: Parts,
  at: { database: Store; dataDir: string },
): Service {
  let closed: Promise<void> | null = null
  const close = async (endAppServers: boolean) => {
    outage.stop()
    await queue.stop({ deadlineMs: 0 })
    await backups?.stop()
    await clean.stop()
    await doctor.close()
    await door.close()
    await tasks.close()
    await tools.close()
    if (endAppServers) await hosts.endAppServers()
    await hosts.close()
    await workspaces.close()
    await exchange?.close()
    await (endAppServers ? pool.endAll() : pool.release())
    await accounts.close()
    await demo.close()
    await at.database.close()
    removeServiceRecord(at.dataDir, process.pid)
  }
  return {
    url: door.url,
    store: at.database,
    makeLoginLink: () => door.makeLoginLink(),
    drain: async (options) => {
      await backups?.stop()
      await tasks.drain(options)
    },
    running: () => tasks.running(),
    close: ({ endAppServers }) => (closed ??= close(endAppServers)),
  }
}
