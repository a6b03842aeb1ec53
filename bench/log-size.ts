// A log of many events, and how long it takes to read of it what a person looks at.

import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { Client } from 'pg'
import type { Db } from '../src/store/db.ts'
import { openDatabase, openPostgres } from '../src/store/index.ts'
import { eventPage } from '../src/store/rows/event-rows.ts'
import { insertEvents } from '../src/store/rows/insert-events.ts'
import { insertTask, shownTasks } from '../src/store/rows/task-rows.ts'
import { newTask } from '../src/tasks/intake/new-task.ts'
import { makeWorkspace } from '../src/testing/index.ts'
import type { PostgresServer } from '../test/support/postgres/server.ts'
import { median, printTable } from './report.ts'

const FRAME = JSON.stringify({
  method: 'item/completed',
  params: { item: { type: 'agentMessage', text: 'x'.repeat(200) } },
})
const READS = 300
const SMALL = 10_000
const LARGE = 1_000_000

interface Sizes {
  readonly list: number
  readonly page: number
}

/** Reads of the small and of the large log alternate, so that whatever else the machine does hits both alike. */
export async function compareSizes(server: PostgresServer | null): Promise<Sizes> {
  await using data = await makeWorkspace()
  const open = (name: string) => openLog(server, { name, folder: path.join(data.path, name) })
  const [small, large] = [await open('small'), await open('large')]
  await fillLog(small.db, { tasks: 100, events: SMALL })
  process.stderr.write('writing 1,000,000 events …\n')
  await fillLog(large.db, { tasks: 100, events: LARGE })
  const reads = { small: { list: [], page: [] } as Reads, large: { list: [], page: [] } as Reads }
  for (let index = 0; index < READS; index++) {
    await readLog(small.reader, index, reads.small)
    await readLog(large.reader, index, reads.large)
  }
  await Promise.all([small.close(), large.close()])
  const row = (events: number, { list, page }: Reads) => ({
    events: events.toLocaleString('en'),
    'list ms': median(list).toFixed(2),
    'last page ms': median(page).toFixed(2),
  })
  printTable('reading a log of 10,000 and of 1,000,000 events, median', [
    row(SMALL, reads.small),
    row(LARGE, reads.large),
  ])
  return {
    list: median(reads.large.list) / median(reads.small.list),
    page: median(reads.large.page) / median(reads.small.page),
  }
}

interface Reads {
  readonly list: number[]
  readonly page: number[]
}

async function openLog(server: PostgresServer | null, { name, folder }: { name: string; folder: string }) {
  if (server === null) {
    await mkdir(folder, { mode: 0o700 })
    return openDatabase({ dataDir: folder, now: Date.now })
  }
  const admin = new Client(server.url('postgres'))
  await admin.connect()
  await admin.query(`create database ${name}_log`)
  await admin.end()
  return openPostgres({ url: server.url(`${name}_log`) })
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

async function readLog(reader: Db, index: number, { list, page }: Reads): Promise<void> {
  const { items } = await shownTasks(reader, { limit: 50 })
  list.push(await timed(() => shownTasks(reader, { limit: 50 })))
  const task = items[index % items.length]!
  const last = { before: Number.MAX_SAFE_INTEGER, limit: 100, maxBytes: 1024 * 1024 }
  page.push(await timed(() => eventPage(reader, task.id, last)))
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
