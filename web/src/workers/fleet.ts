// What the workers of a service add up to.
import type { Worker } from '../api/contract.ts'

/** There is something to tell workers apart by. */
export function isFleet(workers: readonly Worker[]): boolean {
  return workers.length > 1 || workers.some(({ labels }) => labels.length > 0)
}

/** Where a task can be asked to run: workers that are there, then labels. */
export function placesOf(workers: readonly Worker[]): { value: string; text: string }[] {
  const there = workers.filter(({ state }) => state === 'up' || state === 'draining')
  const labels = [...new Set(there.flatMap((worker) => worker.labels))].sort()
  return [
    ...there.map((worker) => ({ value: wordFor(worker, there), text: placeText(worker) })),
    ...labels.map((label) => ({ value: label, text: `Any with label ${label} (${countOf(label, there)})` })),
  ]
}

/** The name, as people read it in the task afterwards; the id where two have the same. */
function wordFor({ id, name }: Worker, all: readonly Worker[]): string {
  return all.filter((worker) => worker.name === name).length > 1 ? id : name
}

function placeText({ name, state, working, capacity }: Worker): string {
  const load = `${working} of ${capacity} working`
  return `${name} (${state === 'draining' ? 'draining: takes no new tasks' : load})`
}

function countOf(label: string, workers: readonly Worker[]): string {
  const count = workers.filter(({ labels }) => labels.includes(label)).length
  return count === 1 ? '1 worker' : `${count} workers`
}

/** Others that take new tasks. */
export function takers(workers: readonly Worker[], but: Worker): number {
  return workers.filter(({ id, state }) => id !== but.id && state === 'up').length
}
