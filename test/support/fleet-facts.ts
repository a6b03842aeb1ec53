// What must hold of a task whose worker, or whose way to the database, failed: everything once.
import { expect } from 'vitest'
import type { DurableTasks, TaskEvent } from '../../src/tasks/index.ts'
import { allEvents } from './open-tasks.ts'
import { paramsOf } from './task-facts.ts'

export const LEASE = { leaseMs: 3_000 }

/** A promise that the script of a model waits for. */
export function makeGate(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { opened: promise, open: resolve }
}

/** Follows a task until it is told to stop; gives the events in the order they came. */
export function follow(tasks: DurableTasks, taskId: string): () => Promise<TaskEvent[]> {
  const stop = new AbortController()
  const seen: TaskEvent[] = []
  const following = (async () => {
    for await (const event of tasks.follow(taskId, { after: 0, signal: stop.signal })) seen.push(event)
  })()
  return async () => {
    const { lastSeq } = await tasks.get(taskId)
    await expect.poll(() => seen.at(-1)?.seq ?? 0, { timeout: 10_000 }).toBeGreaterThanOrEqual(lastSeq)
    stop.abort()
    await following
    return seen
  }
}

/** Every event that is kept came once, in order. Deltas may have come and gone. */
export async function expectFollowed(
  tasks: DurableTasks,
  taskId: string,
  seen: readonly TaskEvent[],
): Promise<void> {
  const seqs = seen.map(({ seq }) => seq)
  expect(seqs).toEqual([...new Set(seqs)].sort((one, other) => one - other))
  const got = new Set(seqs)
  expect((await allEvents(tasks, taskId)).filter(({ seq }) => !got.has(seq))).toEqual([])
}

/** How often each thing is in the log of a task: items by type, ends of turns, statuses. */
export async function countsOf(tasks: DurableTasks, taskId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const event of await allEvents(tasks, taskId)) {
    const name = nameOf(event)
    if (name !== null) counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

function nameOf(event: TaskEvent): string | null {
  const { method } = event
  if (method === 'item/completed') return paramsOf(event).item.type
  if (method === 'turn/completed') return method
  if (method === 'drawbridge/approval') return `approval ${paramsOf(event).status}`
  if (method === 'drawbridge/incident') return `incident ${paramsOf(event).type}`
  return null
}
