// Numbers for Prometheus. What can be asked is asked when somebody scrapes; what only happens is told as it happens.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { databaseTrouble, type TaskCounts, type TaskService } from '../tasks/index.ts'
import { TaskStatus } from './contract.ts'
import { WorkerGauges } from './worker-gauges.ts'

/** What the task service may tell, as it happens. Give it one of these as its observer. */
export interface MetricsSink {
  eventsStored(count: number): void
  turnEnded(status: string): void
  rpcAnswered(call: { method: string; seconds: number; isError: boolean }): void
}

const HTTP_BUCKETS = [0.005, 0.02, 0.1, 0.5, 2, 10, 60]
const RPC_BUCKETS = [0.005, 0.02, 0.1, 0.5, 2, 10, 30, 120]

export class ApiMetrics implements MetricsSink {
  readonly #registry = new Registry()
  readonly #events = this.#counter('events_total', 'Events stored.')
  readonly #turns = this.#counter('turns_total', 'Turns that ended, by how.', ['status'])
  readonly #rpc = this.#histogram('rpc_seconds', 'Requests to codex.', ['method', 'error'], RPC_BUCKETS)
  readonly #http = this.#histogram(
    'http_seconds',
    'HTTP requests.',
    ['method', 'route', 'status'],
    HTTP_BUCKETS,
  )
  readonly #tasks = this.#gauge('tasks', 'Tasks, by status.', ['status'])
  readonly #approvals = this.#gauge('approvals_open', 'Questions that wait for an answer.')
  readonly #oldest = this.#gauge('approval_oldest_seconds', 'How long the oldest of them has waited.')
  readonly #notices = this.#gauge('notices', 'Notices not sent, by status.', ['status'])
  readonly #streams = this.#gauge('streams_open', 'Streams and long polls.')
  readonly #appServers = this.#gauge('app_servers', 'codex processes, by state.', ['state'])
  readonly #isDatabaseUp = this.#gauge('database_up', 'Whether the database answered this scrape: 1 or 0.')
  readonly #lastCommit = this.#gauge(
    'last_commit_timestamp_seconds',
    'When this service last stored events; 0 until it has.',
  )
  readonly #workers = new WorkerGauges(this.#registry)
  readonly #memory = this.#gauge('app_server_memory_bytes', 'Memory of each codex process.', ['id'])

  constructor() {
    collectDefaultMetrics({ register: this.#registry })
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  eventsStored(count: number): void {
    this.#events.inc(count)
    this.#lastCommit.setToCurrentTime()
  }

  turnEnded(status: string): void {
    this.#turns.inc({ status })
  }

  rpcAnswered({ method, seconds, isError }: { method: string; seconds: number; isError: boolean }): void {
    this.#rpc.observe({ method, error: String(isError) }, seconds)
  }

  httpAnswered({
    seconds,
    ...labels
  }: {
    method: string
    route: string
    status: number
    seconds: number
  }): void {
    this.#http.observe(labels, seconds)
  }

  /** While the database does not answer, what it would say is left out. */
  async text(service: TaskService, { now, streams }: { now: number; streams: number }): Promise<string> {
    this.#streams.set(streams)
    this.#showAppServers(service)
    for (const gauge of [this.#tasks, this.#notices, this.#workers]) gauge.reset()
    try {
      const [counts, workers] = await Promise.all([service.counts(), service.workers()])
      this.#showCounts(counts, now)
      this.#workers.show(workers)
      this.#isDatabaseUp.set(1)
    } catch (error) {
      if (!databaseTrouble(error)) throw error
      // A gauge without labels cannot be absent.
      for (const gauge of [this.#approvals, this.#oldest]) gauge.set(Number.NaN)
      this.#isDatabaseUp.set(0)
    }
    return this.#registry.metrics()
  }

  #showCounts(counts: TaskCounts, now: number): void {
    // A status nobody has is 0, not absent: an alert on it would never fire.
    for (const status of TaskStatus.options) this.#tasks.set({ status }, counts.byStatus[status] ?? 0)
    this.#approvals.set(counts.openApprovals)
    this.#oldest.set(counts.oldestApprovalAt === null ? 0 : (now - counts.oldestApprovalAt) / 1000)
    this.#notices.set({ status: 'pending' }, counts.pendingNotices)
    this.#notices.set({ status: 'dead' }, counts.deadNotices)
  }

  #showAppServers(service: TaskService): void {
    for (const gauge of [this.#appServers, this.#memory]) gauge.reset()
    for (const { id, state, memoryBytes } of service.appServers()) {
      this.#appServers.inc({ state })
      if (memoryBytes !== null) this.#memory.set({ id }, memoryBytes)
    }
  }

  #counter(name: string, help: string, labelNames: string[] = []): Counter {
    return new Counter({ name: `drawbridge_${name}`, help, labelNames, registers: [this.#registry] })
  }

  #gauge(name: string, help: string, labelNames: string[] = []): Gauge {
    return new Gauge({ name: `drawbridge_${name}`, help, labelNames, registers: [this.#registry] })
  }

  #histogram(name: string, help: string, labelNames: string[], buckets: number[]): Histogram {
    return new Histogram({
      name: `drawbridge_${name}`,
      help,
      labelNames,
      buckets,
      registers: [this.#registry],
    })
  }
}
