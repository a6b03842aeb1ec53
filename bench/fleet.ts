// Ten workers on one PostgreSQL, each in a process of its own with a fake app-server: a thousand tasks, started and followed
// at ten doors and claimed by whichever worker has room. How many are claimed, and how many events are stored and
// delivered at another worker, in a second; how long such a delivery takes; against raw inserts of the same events into
// the same PostgreSQL, in batches of the size that the workers' transactions had.
// Run: npm run bench:fleet [-- --workers 10 --tasks 1000 --items 50]
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { openPostgres } from '../src/store/index.ts'
import type { EventRow } from '../src/store/schema.ts'
import { fake, fakeCodex, makeWorkspace } from '../src/testing/index.ts'
import { startPostgres } from '../test/support/postgres/server.ts'
import type { FleetOrder, FleetShare } from './fleet-worker.ts'
import { rawInserts } from './raw-inserts.ts'
import { printTable } from './report.ts'

const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: '10' },
    tasks: { type: 'string', default: '1000' },
    items: { type: 'string', default: '50' },
  },
})
const WORKERS = Number(values.workers)
const TASKS = Number(values.tasks)
const ITEMS = Number(values.items)
const MAX_WORKING = 10
const LARGE_BATCH = 1_000

/** No deltas: the completed item would delete them again. */
function turnActions() {
  const place = { threadId: '$threadId', turnId: '$turnId' }
  const items = Array.from({ length: ITEMS }, (_, index) => ({
    ...{ type: 'agentMessage', id: `item-${index}-$turnId`, text: `message ${index} ${'word '.repeat(30)}` },
    ...{ phase: null, memoryCitation: null, delivery: null, questions: null },
  }))
  const told = items.flatMap((item) => [
    fake.notify('item/started', { ...place, item: { ...item, text: '' }, startedAtMs: 0 }),
    fake.notify('item/completed', { ...place, item, completedAtMs: 0 }),
  ])
  return [fake.reply(), ...fake.turnStarted(), ...told, ...fake.turnCompleted()]
}

interface Stored {
  readonly events: readonly EventRow[]
  readonly seconds: number
  readonly commits: number
  readonly claimSeconds: number
}

/** What has been stored since then. */
async function readStored(url: string, since: number): Promise<Stored> {
  const { db, close } = await openPostgres({ url, poolSize: 2 })
  const events = await db.selectFrom('events').selectAll().where('at', '>=', since).orderBy('at').execute()
  const { commits } = await db
    .selectFrom('workers')
    .select(({ fn }) => fn.sum<number>('commits').as('commits'))
    .executeTakeFirstOrThrow()
  const tasks = await db
    .selectFrom('tasks')
    .select(['created_at', 'started_at'])
    .where('created_at', '>=', since)
    .execute()
  await close()
  const begun = tasks.map(({ started_at }) => started_at!)
  return {
    events,
    seconds: (events.at(-1)!.at - events[0]!.at) / 1_000,
    commits: Number(commits),
    claimSeconds: (Math.max(...begun) - Math.min(...tasks.map(({ created_at }) => created_at))) / 1_000,
  }
}

async function runFleet(databaseUrl: string): Promise<{ since: number; shares: FleetShare[] }> {
  await using workspace = await makeWorkspace()
  await using codex = await fakeCodex({ steps: [fake.on('turn/start', ...turnActions())] })
  const workers: ChildProcess[] = []
  for (let index = 0; index < WORKERS; index++) {
    const order: FleetOrder = {
      ...{ id: `worker-${index}`, databaseUrl, codexPath: codex.path, cwd: workspace.path },
      ...{ tasks: Math.ceil(TASKS / WORKERS), maxWorking: MAX_WORKING },
    }
    const worker = fork(path.join(import.meta.dirname, 'fleet-worker.ts'), [JSON.stringify(order)])
    workers.push(worker)
    await once(worker, 'message')
  }
  const since = Date.now()
  const working = workers.map(async (worker) => {
    const share = once(worker, 'message')
    worker.send('go')
    return ((await share) as [FleetShare])[0]
  })
  const shares = await Promise.all(working)
  const left = workers.map((worker) => once(worker, 'exit'))
  for (const worker of workers) worker.send('end')
  await Promise.all(left)
  return { since, shares }
}

const server = await startPostgres({ isDurable: true, settings: { max_connections: 300 } })
try {
  const url = server.url('postgres')
  await (await openPostgres({ url })).close()
  const { since, shares } = await runFleet(url)
  const { events, seconds, commits, claimSeconds } = await readStored(url, since)
  const batch = Math.max(1, Math.round(events.length / commits))
  const raw = await rawInserts(url, events, { connections: WORKERS, batch })
  const rawLarge = await rawInserts(url, events, { connections: WORKERS, batch: LARGE_BATCH })
  const completed = shares.reduce((sum, share) => sum + share.completed, 0)
  const delivered = shares.reduce((sum, share) => sum + share.delivered, 0)
  const delays = shares.flatMap((share) => share.delays).sort((a, b) => a - b)
  const at = (part: number) => delays[Math.min(delays.length - 1, Math.floor(delays.length * part))] ?? 0
  const perSecond = (count: number) => `${Math.round(count / seconds)}`
  printTable(`${WORKERS} workers, ${completed} tasks, ${events.length} events in ${commits} transactions`, [
    { what: 'tasks claimed', 'per second': `${Math.round(completed / claimSeconds)}` },
    { what: 'events stored', 'per second': perSecond(events.length) },
    { what: 'events delivered at another worker', 'per second': perSecond(delivered) },
    { what: `raw inserts, ${batch} each`, 'per second': raw.toFixed(0) },
    { what: `raw inserts, ${LARGE_BATCH} each`, 'per second': rawLarge.toFixed(0) },
  ])
  const largest = Math.max(...shares.map(({ rssMb }) => rssMb)).toFixed(0)
  const processorS = shares.reduce((sum, { processorMs }) => sum + processorMs, 0) / 1_000
  console.log(`largest worker ${largest} MB, ${processorS.toFixed(0)} s of processor time of all workers`)
  if (completed < TASKS) process.exitCode = 1
  const ratio = (count: number) => (count / seconds / raw).toFixed(2)
  console.log(
    `ratio stored ${ratio(events.length)}, delivered ${ratio(delivered)} of raw inserts (goal ≥ 0.5); delivery p50 ${at(0.5)} ms, p99 ${at(0.99)} ms; ${Math.round(completed / claimSeconds)} claims a second`,
  )
} finally {
  await server.close()
}
