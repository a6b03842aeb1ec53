// The task service as `drawbridge serve` composes it, on a data folder of its own, for benchmarks.
import { type ServedApi, serveApi } from '../src/api/index.ts'
import { appServerPool } from '../src/hosts/index.ts'
import type { Db } from '../src/store/db.ts'
import { DEFAULT_SETTINGS, DurableTasks, openDatabase } from '../src/tasks/index.ts'
import { makeWorkspace } from '../src/testing/index.ts'
import { NO_NOTICES } from '../test/support/no-notices.ts'
import { openShared } from '../test/support/test-store.ts'

export interface BenchService {
  readonly tasks: DurableTasks
  readonly db: Db
  readonly api: ServedApi
  readonly dataDir: string
  /** With everything it started. */
  end(): Promise<void>
}

export interface BenchServiceOptions {
  readonly maxWorking?: number
  readonly streams?: number
  /** The page it serves; none by default. */
  readonly consoleDir?: string
  /** Of a PostgreSQL; SQLite by default. */
  readonly databaseUrl?: string | undefined
}

export async function openService(options: BenchServiceOptions = {}): Promise<BenchService> {
  const { maxWorking = 20, streams = 64, consoleDir, databaseUrl } = options
  const data = await makeWorkspace()
  const pool = appServerPool({ dataDir: data.path })
  const database = await (databaseUrl === undefined
    ? openDatabase({ dataDir: data.path, now: Date.now }).then((opened) => ({ ...opened, fleet: null }))
    : openShared(databaseUrl, 'bench'))
  const tasks = new DurableTasks({
    database,
    fleet: database.fleet,
    dataDir: data.path,
    appServers: pool,
    settings: { ...DEFAULT_SETTINGS, maxWorking, notices: NO_NOTICES },
    now: Date.now,
    observer: {
      eventsStored: () => {},
      turnEnded: () => {},
      incident: () => {},
      broken: (error) => console.error(error),
    },
  })
  await tasks.open()
  const api = await serveApi({
    service: tasks,
    dataDir: data.path,
    port: 0,
    consoleDir,
    limits: { streamsPerCaller: streams, openPerCredential: streams },
  })
  const end = async () => {
    await api.close()
    await tasks.close()
    await pool.endAll()
    await database.close()
    await data.remove()
  }
  return { tasks, db: database.db, api, dataDir: data.path, end }
}
