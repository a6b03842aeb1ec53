// A log of many events, and how long it takes to read of it what a person looks at.

import type { Db } from '../src/store/db.ts'
import { openDatabase, openPostgres } from '../src/store/index.ts'
import { eventPage } from '../src/store/rows/event-rows.ts'
import { insertEvents } from '../src/store/rows/insert-events.ts'
import { insertTask, shownTasks } from '../src/store/rows/task-rows.ts'
import { newTask } from '../src/tasks/intake/new-task.ts'
import { makeWorkspace } from '../src/testing/index.ts'
import { median, printTable } from './report.ts'

const FRAME = JSON.stringify({
  method: 'item/completed',
  params: { item: { type: 'agentMessage', text: 'x'.repeat(200) } },
})
const READS = 200

export async function compareSizes(databaseUrl?: string): Promise<{ list: number; page: number }> {
  await using data = await makeWorkspace()
  const database = await (databaseUrl === undefined
    ? openDatabase({ dataDir: data.path, now: Date.now })
    : openPostgres({ url: databaseUrl }))
  await fillLog(database.db, { tasks: 100, events: 10_000 })
  const small = await readLog(database.reader)
  process.stderr.write('writing 1,000,000 events …\n')
  await fillLog(database.db, { tasks: 100, events: 990_000 })
  const large = await readLog(database.reader)
  await database.close()
  printTable('reading a log of 10,000 and of 1,000,000 events, median', [
    { events: '10,000', 'list ms': small.listMs.toFixed(2), 'last page ms': small.pageMs.toFixed(2) },
    { events: '1,000,000', 'list ms': large.listMs.toFixed(2), 'last page ms': large.pageMs.toFixed(2) },
  ])
  return { list: large.listMs / small.listMs, page: large.pageMs / small.pageMs }
}

/** Spreads events over this many tasks, after those they have; makes the tasks when there are none. */
export async function fillLog(db: Db, { tasks, events }: { tasks: number; events: number }): Promise<void> {
  const known = await db.selectFrom('tasks').select(['id', 'last_seq']).orderBy('id').execute()
  if (known.length === 0) {
    for (let index = 0; index < tasks; index++) {
      const now = Date.now() + index
      const { task } = newTask({ prompt: `task ${index}`, cwd: '/' }, { now, defaultNotify: [] })
      await insertTask(db, { ...task, status: 'completed', queued_at: null }, [])
    }
    return fillLog(db, { tasks, events })
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

async function readLog(reader: Db): Promise<{ listMs: number; pageMs: number }> {
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
