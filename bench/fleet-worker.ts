// One worker of bench:fleet, in a process of its own: a task service on the shared PostgreSQL, with a fake app-server.
// It starts its share of the tasks and follows them, whichever worker runs them.
import { appServerPool } from '../src/hosts/index.ts'
import { DEFAULT_SETTINGS, DurableTasks } from '../src/tasks/index.ts'
import { makeWorkspace } from '../src/testing/index.ts'
import { NO_NOTICES } from '../test/support/no-notices.ts'
import { openShared } from '../test/support/test-store.ts'

export interface FleetOrder {
  readonly id: string
  readonly databaseUrl: string
  readonly codexPath: string
  readonly cwd: string
  readonly tasks: number
  readonly maxWorking: number
}

export interface FleetShare {
  readonly completed: number
  /** Events of its tasks that other workers stored and that its followers got. */
  readonly delivered: number
  /** From when codex's word was received at one worker to when a follower had it at another, in milliseconds. */
  readonly delays: readonly number[]
  readonly rssMb: number
  readonly processorMs: number
}

const CALLER = { actor: 'bench' }
const DEADLINE_MS = 240_000

async function open(order: FleetOrder) {
  const data = await makeWorkspace()
  const pool = appServerPool({ dataDir: data.path, transport: 'stdio' })
  const shared = await openShared(order.databaseUrl, order.id)
  const tasks = new DurableTasks({
    database: shared,
    fleet: shared.fleet,
    dataDir: data.path,
    appServers: pool,
    settings: { ...DEFAULT_SETTINGS, maxWorking: order.maxWorking, notices: NO_NOTICES },
    now: Date.now,
    observer: {
      eventsStored: () => {},
      turnEnded: () => {},
      incident: (incident) => console.error(order.id, incident),
      broken: (error) => console.error(order.id, error),
    },
  })
  await tasks.open()
  const end = async () => {
    await tasks.close()
    await pool.endAll()
    await shared.close()
    await data.remove()
  }
  return { tasks, end }
}

async function work(tasks: DurableTasks, order: FleetOrder): Promise<FleetShare> {
  const before = process.cpuUsage()
  const delays: number[] = []
  let completed = 0
  let delivered = 0
  const one = async () => {
    const request = { prompt: 'go', cwd: order.cwd, codexPath: order.codexPath }
    const { id } = await tasks.start(request, CALLER)
    const heard: number[] = []
    const signal = AbortSignal.timeout(DEADLINE_MS)
    for await (const { at, method, frame } of tasks.follow(id, { after: 0, signal })) {
      heard.push(Date.now() - at)
      if (method === 'drawbridge/task' && frame.includes('"status":"completed"')) {
        completed++
        break
      }
    }
    const { worker } = await tasks.get(id)
    if (worker?.id === order.id) return
    delivered += heard.length
    for (const delay of heard) delays.push(delay)
  }
  await Promise.all(Array.from({ length: order.tasks }, one))
  const { user, system } = process.cpuUsage(before)
  const rssMb = process.memoryUsage().rss / 1024 ** 2
  return { completed, delivered, delays, rssMb, processorMs: (user + system) / 1_000 }
}

const order = JSON.parse(process.argv[2]!) as FleetOrder
const { tasks, end } = await open(order)
// Its app-server is started before the time is taken.
const first = { prompt: 'go', cwd: order.cwd, codexPath: order.codexPath, on: order.id }
await tasks.wait((await tasks.start(first, CALLER)).id, { timeoutMs: DEADLINE_MS })
const told = () => new Promise<void>((resolve) => process.once('message', () => resolve()))
void serve(tasks, end)
process.send!('open')

async function serve(tasks: DurableTasks, end: () => Promise<void>): Promise<void> {
  await told()
  const over = told()
  process.send!(await work(tasks, order))
  // Others may still follow what runs here.
  await over
  await end()
  process.disconnect()
}
