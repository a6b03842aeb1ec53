import { type Db, listWorkers, type StoredTask } from '../../store/index.ts'
import { TaskError } from '../model/index.ts'
import type { FleetOptions } from './fleet-options.ts'

/** For what needs the machine on which the thread of a task is: says which that is, when it is not this one. */
export async function refuseElsewhere(
  { worker_id }: Pick<StoredTask, 'worker_id'>,
  { reader, self }: { reader: Db; self: Pick<FleetOptions, 'id'> },
): Promise<void> {
  if (worker_id === null || worker_id === self.id) return
  const worker = (await listWorkers(reader)).find(({ id }) => id === worker_id)
  const where = worker ? `the worker ${worker.name} (machine ${worker.machine})` : 'a worker that is gone'
  throw new TaskError(
    'worker-unreachable',
    `the thread of the task is on ${where}, which is not running: start the service there, and attach on that machine`,
    { details: { isDone: false } },
  )
}
