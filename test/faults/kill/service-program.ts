// The task service as a process of its own, to be killed. Calls come in over IPC: `{ id, method, args }`.
import { appServerPool } from '../../../src/hosts/index.ts'
import { DEFAULT_SETTINGS, DurableTasks, openDatabase } from '../../../src/tasks/index.ts'
import { NO_NOTICES } from '../../support/no-notices.ts'

const dataDir = process.argv[2]!
// It is meant to die often.
const pool = appServerPool({ dataDir, limits: { crashLoop: { count: 10_000, withinMs: 60_000 } } })
const database = await openDatabase({ dataDir, now: Date.now })
const tasks = new DurableTasks({
  database,
  dataDir,
  appServers: pool,
  settings: { ...DEFAULT_SETTINGS, maxWorking: 20, notices: NO_NOTICES },
  now: Date.now,
  observer: {
    eventsStored: () => {},
    turnEnded: () => {},
    incident: (incident) => process.send?.({ incident }),
    broken: (error) => {
      process.send?.({ incident: { type: 'broken', message: String(error) } })
      process.exit(1)
    },
  },
})

const calls: Readonly<Record<string, (...args: never[]) => unknown>> = {
  start: tasks.start.bind(tasks),
  get: tasks.get.bind(tasks),
  wait: tasks.wait.bind(tasks),
  resume: tasks.resume.bind(tasks),
  events: tasks.events.bind(tasks),
  approvals: tasks.approvals.bind(tasks),
  decide: tasks.decide.bind(tasks),
  appServers: () => tasks.appServers(),
  end: async () => {
    await tasks.close()
    await pool.endAll()
    await database.close()
  },
}

process.on('message', ({ id, method, args }: { id: number; method: string; args: never[] }) => {
  Promise.resolve()
    .then(() => calls[method]!(...args))
    .then(
      (value) => process.send?.({ id, value: value ?? null }),
      (error) => process.send?.({ id, error: { message: String(error), code: error?.code ?? '' } }),
    )
})
await tasks.open()
process.send?.({ ready: true })
