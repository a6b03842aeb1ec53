import type { DrawbridgeClient, Task } from '../../api/index.ts'

/** The most that one page can hold. */
const PAGE_EVENTS = 5000

/** The sequence after which this many events are stored. Sequences have gaps, so the events themselves are counted. */
export async function seqBeforeLast(
  client: Pick<DrawbridgeClient, 'tasks'>,
  task: Pick<Task, 'id' | 'lastSeq'>,
  count: number,
): Promise<number> {
  let before = Number.MAX_SAFE_INTEGER
  let left = count
  while (left > 0 && task.lastSeq > count) {
    const limit = Math.min(left, PAGE_EVENTS)
    const { events, hasMore } = await client.tasks.events(task.id, { before, limit })
    if (!hasMore) return 0
    before = events[0]!.seq
    left -= events.length
  }
  return left > 0 ? 0 : before - 1
}
