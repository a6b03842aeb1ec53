// The task service on the real codex, a real database and a scripted model, as `drawbridge serve` composes it.
import { onTestFinished } from 'vitest'
import { openServiceTools } from '../../src/cli/serve/open-tools.ts'
import { ServiceHosts, type ServiceHostsOptions } from '../../src/cli/serve/service-hosts.ts'
import { type AppServerPoolOptions, appServerPool } from '../../src/hosts/index.ts'
import {
  type AppServers,
  DEFAULT_SETTINGS,
  DurableTasks,
  type DurableTasksOptions,
  type StartTask,
  type TaskEvent,
  type TaskHooks,
  type TaskSettings,
} from '../../src/tasks/index.ts'
import {
  type CodexHomeOptions,
  type ModelScript,
  makeWorkspace,
  startScriptedModel,
} from '../../src/testing/index.ts'
import { NO_NOTICES } from './no-notices.ts'
import { testStore } from './test-store.ts'
import { makeUsedHome } from './used-home.ts'

interface Options {
  readonly home?: CodexHomeOptions
  readonly settings?: Partial<TaskSettings>
  readonly pool?: Partial<AppServerPoolOptions>
  readonly trustOf?: DurableTasksOptions['trustOf']
  readonly hosts?: DurableTasksOptions['hosts']
  /** Machines that are reached with ssh, as the service has them. */
  readonly sshHosts?: Partial<Omit<ServiceHostsOptions, 'db' | 'dataDir'>>
  /** As `tools` in the settings; relative to the data folder. */
  readonly tools?: Parameters<typeof openServiceTools>[0]['settings']['tools']
  /** As `defaultTools` and `deliverables.maxBytes` in the settings. */
  readonly handover?: {
    readonly defaultTools?: string[]
    readonly maxBytes?: number
    readonly protect?: string[]
  }
  readonly env?: NodeJS.ProcessEnv
  /** As the settings have them; another on the next start. */
  readonly hooks?: () => TaskHooks
  /** The service's clock. */
  readonly now?: () => number
  /** Something between the service and its app-servers. */
  readonly wrapPool?: (pool: AppServers) => AppServers
}

export const ALICE = { actor: 'test:alice' }

export async function openTasks(script: ModelScript, options: Options = {}) {
  const model = await startScriptedModel(script)
  onTestFinished(() => model.close())
  const home = await makeUsedHome(model, options.home)
  const workspace = await makeWorkspace()
  const data = await makeWorkspace()
  onTestFinished(() => Promise.all([home.remove(), workspace.remove(), data.remove()]).then(() => {}))

  const store = await testStore(data.path)
  let opened = 0
  /** The service on the same data folder; again after it was closed. */
  async function open() {
    const mine = ++opened
    const pool = appServerPool({ dataDir: data.path, ...options.pool })
    const database = await store.open()
    const incidents: unknown[] = []
    const { defaultTools = [], maxBytes = 1_000_000, protect = [] } = options.handover ?? {}
    const toolPlace = {
      settings: {
        tools: options.tools ?? {},
        defaultTools,
        deliverables: { maxBytes },
        protectedPaths: protect,
      },
      machineOf: (name: string) => sshHosts.machine(name),
      ...{ dataDir: data.path, env: options.env ?? {}, protect },
    }
    const told: string[] = []
    const tools = await openServiceTools({ ...toolPlace, tell: (line) => told.push(line) }, () => tasks)
    const sshHosts = new ServiceHosts({
      ...{ db: database.db, dataDir: data.path, env: { PATH: process.env.PATH }, now: Date.now },
      ...options.sshHosts,
    })
    const appServers = options.wrapPool?.(pool) ?? pool
    const tasks: DurableTasks = new DurableTasks({
      tools,
      database,
      fleet: database.fleet,
      dataDir: data.path,
      appServers: options.sshHosts ? sshHosts.behind(appServers) : appServers,
      ...(options.hooks && { hooks: options.hooks() }),
      ...(options.trustOf && { trustOf: options.trustOf }),
      hosts: options.hosts ?? sshHosts,
      settings: { ...DEFAULT_SETTINGS, notices: NO_NOTICES, ...options.settings },
      now: options.now ?? Date.now,
      observer: {
        eventsStored: () => {},
        turnEnded: () => {},
        incident: (incident) => incidents.push(incident),
        broken: (error) => incidents.push(error),
      },
    })
    await tasks.open()
    await tasks.recovered
    let isOpen = true
    /** As the service does when it is stopped: app-servers live on. */
    const close = async () => {
      if (!isOpen) return
      isOpen = false
      await tasks.close()
      await tools.close()
      await sshHosts.close()
      await pool.release()
      await database.close()
    }
    /** With everything it started, also when it was closed and nobody came after it. */
    const end = async () => {
      if (isOpen) {
        isOpen = false
        await tasks.close()
        await tools.close()
        await sshHosts.close()
        await pool.endAll()
        return database.close()
      }
      if (mine !== opened) return
      const heir = appServerPool({ dataDir: data.path, ...options.pool })
      await heir.adopt()
      await heir.endAll()
    }
    onTestFinished(end)
    return { tasks, tools, told, pool, database, incidents, sshHosts, close, end }
  }

  const request = (prompt: string, more: Partial<StartTask> = {}): StartTask => ({
    prompt,
    cwd: workspace.path,
    codexHome: home.path,
    ...more,
  })
  const isStored = (text: string) => store.has(text)
  return { ...(await open()), open, isStored, model, home, cwd: workspace.path, dataDir: data.path, request }
}

export async function allEvents(tasks: DurableTasks, taskId: string): Promise<TaskEvent[]> {
  const events: TaskEvent[] = []
  for (;;) {
    const page = await tasks.events(taskId, { after: events.at(-1)?.seq ?? 0 })
    events.push(...page.events)
    if (!page.hasMore) return events
  }
}
