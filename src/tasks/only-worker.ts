import { hostname } from 'node:os'
import { VERSION } from '../codex/index.ts'
import { type StartTask, TaskError, type Worker } from './model/index.ts'

const ALONE = 'local'

/** A service that shares its store with nobody, as the one worker there is. */
export function onlyWorker({
  now,
  ...facts
}: Pick<Worker, 'startedAt' | 'capacity' | 'working' | 'tasks'> & { readonly now: number }): Worker {
  const machine = hostname()
  return {
    ...{ id: ALONE, name: machine, machine, version: VERSION, labels: [], state: 'up', url: null },
    ...facts,
    ...{ beatAt: now, silentMs: 0, isThis: true },
  }
}

/** Always. Refuses a task that is to run elsewhere: nobody else would ever take it. */
export function isOnlyHere({ on }: Pick<StartTask, 'on'>): true {
  if (on === undefined || on === ALONE || on === hostname()) return true
  throw new TaskError(
    'bad-request',
    `on: there is no worker with the name or label ${on}: this service shares its database with no other`,
  )
}
