import { hostname } from 'node:os'
import { VERSION } from '../codex/index.ts'
import type { Worker } from './model/index.ts'

/** A service that shares its store with nobody, as the one worker there is. */
export function onlyWorker({
  now,
  ...facts
}: Pick<Worker, 'startedAt' | 'capacity' | 'working' | 'tasks'> & { readonly now: number }): Worker {
  const machine = hostname()
  return {
    ...{ id: 'local', name: machine, machine, version: VERSION, labels: [], state: 'up', url: null },
    ...facts,
    ...{ beatAt: now, silentMs: 0, isThis: true },
  }
}
