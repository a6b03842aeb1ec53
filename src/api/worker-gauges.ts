// Every worker tells of all of them: one that is lost cannot be scraped itself.
import { Gauge, type Registry } from 'prom-client'
import { Worker } from './contract.ts'

type WorkerFacts = Readonly<Omit<Worker, 'labels'>>

const GAUGES = {
  workers: ['Workers, by state.', ['state']],
  worker_info: [
    'Always 1. `this` is true for the worker that was scraped.',
    ['worker', 'name', 'machine', 'version', 'this'],
  ],
  worker_working: ['Turns that run on each worker.', ['worker']],
  worker_capacity: ['Turns each worker runs at the same time.', ['worker']],
  worker_tasks: ['Tasks of each worker that have not ended.', ['worker']],
  worker_silent_seconds: ['How long ago each worker was last heard of.', ['worker']],
} as const satisfies Record<string, readonly [help: string, labelNames: readonly string[]]>

export class WorkerGauges {
  readonly #gauges: Readonly<Record<keyof typeof GAUGES, Gauge>>

  constructor(registry: Registry) {
    const made = Object.entries(GAUGES).map(([name, [help, labels]]) => [
      name,
      new Gauge({ name: `drawbridge_${name}`, help, labelNames: [...labels], registers: [registry] }),
    ])
    this.#gauges = Object.fromEntries(made)
  }

  show(workers: readonly WorkerFacts[]): void {
    this.reset()
    const gauges = this.#gauges
    // A state no worker has is 0, not absent: an alert on it would never fire.
    for (const state of Worker.shape.state.options)
      gauges.workers.set({ state }, workers.filter((worker) => worker.state === state).length)
    for (const { id: worker, name, machine, version, isThis, ...figures } of workers) {
      gauges.worker_info.set({ worker, name, machine, version, this: String(isThis) }, 1)
      gauges.worker_working.set({ worker }, figures.working)
      gauges.worker_capacity.set({ worker }, figures.capacity)
      gauges.worker_tasks.set({ worker }, figures.tasks)
      gauges.worker_silent_seconds.set({ worker }, figures.silentMs / 1000)
    }
  }

  reset(): void {
    for (const gauge of Object.values(this.#gauges)) gauge.reset()
  }
}
