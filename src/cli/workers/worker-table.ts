import type { Worker } from '../../api/index.ts'
import { type Cell, type Colour, duration } from '../screen/index.ts'

const COLOURS: Readonly<Record<Worker['state'], Colour>> = {
  up: 'green',
  draining: 'yellow',
  stopped: 'dim',
  lost: 'red',
}

const HEAD = ['NAME', 'MACHINE', 'STATE', 'WORKING', 'TASKS', 'HEARD', 'VERSION', 'LABELS']

export function workerTable(workers: readonly Worker[]): Cell[][] {
  return [
    HEAD.map((text): Cell => ({ text, colour: 'dim' })),
    ...workers.map((worker) => [
      { text: worker.name },
      { text: worker.machine },
      { text: worker.state, colour: COLOURS[worker.state] },
      { text: `${worker.working}/${worker.capacity}` },
      { text: String(worker.tasks) },
      // On the database's clock: this machine's may be another.
      { text: `${duration(worker.silentMs)} ago` },
      { text: worker.version },
      { text: worker.labels.join(', ') || '–' },
    ]),
  ]
}
