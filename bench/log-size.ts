// A log of many events, and how long it takes to read of it what a person looks at.
import { eventPage } from '../src/store/rows/event-rows.ts'
import { insertEvents } from '../src/store/rows/insert-events.ts'
import { insertTask, shownTasks } from '../src/store/rows/task-rows.ts'
import type { OpenDatabase } from '../src/tasks/index.ts'
import { newTask } from '../src/tasks/intake/new-task.ts'
import { median } from './report.ts'

const FRAME = JSON.stringify({
  method: 'item/completed',
  params: { item: { type: 'agentMessage', text: 'x'.repeat(200) } },
})
const READS = 200

/** Spreads events over this many tasks, after those they have; makes the tasks when there are none. */
export async function fillLog(
  { db }: OpenDatabase,
  { tasks, events }: { tasks: number; events: number },
): Promise<void> {
  const known = await db.selectFrom('tasks').select(['id', 'last_seq']).orderBy('id').execute()
  if (known.length === 0) {
    for (let index = 0; index < tasks; index++) {
      const now = Date.now() + index
      const { task } = newTask({ prompt: `task ${index}`, cwd: '/' }, { now, defaultNotify: [] })
      await insertTask(db, { ...task, status: 'completed', queued_at: null }, [])
    }
    return fillLog({ db } as OpenDatabase, { tasks, events })
  }
  const each = Math.ceil(events / known.length)
  for (const { id, last_seq } of known) {
    const rows = Array.from({ length: each }, (_, index) => ({
      task_id: id,
      seq: last_seq + index + 1,
      at: Date.now(),
      method: 'item/completed',
      turn_id: 'turn',
      item_id: `item-${last_seq + index}`,
      is_delta: 0,
      frame: FRAME,
    }))
    await db.transaction().execute(async (trx) => {
      await insertEvents(trx, rows)
      await trx
        .updateTable('tasks')
        .set({ last_seq: last_seq + each })
        .where('id', '=', id)
        .execute()
    })
  }
}

export async function readLog({ reader }: OpenDatabase): Promise<{ listMs: number; pageMs: number }> {
  const { items } = await shownTasks(reader, { limit: 50 })
  const listMs: number[] = []
  const pageMs: number[] = []
  for (let index = 0; index < READS; index++) {
    listMs.push(await timed(() => shownTasks(reader, { limit: 50 })))
    const task = items[index % items.length]!
    const last = { before: Number.MAX_SAFE_INTEGER, limit: 100, maxBytes: 1024 * 1024 }
    pageMs.push(await timed(() => eventPage(reader, task.id, last)))
  }
  return { listMs: median(listMs), pageMs: median(pageMs) }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
