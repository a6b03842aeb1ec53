// What retention does that only a file of SQLite's has: it becomes smaller, and one writer at a time.
import { stat } from 'node:fs/promises'
import { expect, it, onTestFinished } from 'vitest'
import { addEndedTask } from '../fixtures/ended-task.ts'
import { countOf } from '../fixtures/sample-rows.ts'
import { makeScratchStore } from '../fixtures/scratch-store.ts'
import { prune, type Retention } from '../upkeep/retention.ts'
import { usedBytes } from '../upkeep/space.ts'

const NOW = 1_000 * 24 * 60 * 60 * 1000
const KEEP_ALL: Retention = { taskMaxAgeMs: null, eventMaxAgeMs: null, maxBytes: null }

it('makes the file itself smaller', async () => {
  const store = await makeScratchStore()
  onTestFinished(() => store.remove())
  const { db, file } = await store.open()
  await addEndedTask(db, 'large', {}, { events: 10_000 })
  await db.deleteFrom('outbox').execute()
  const before = await usedBytes(db)
  const pruned = await prune(db, { now: NOW, retention: { ...KEEP_ALL, maxBytes: 0 } })
  expect(pruned.events).toBe(10_000)
  expect((await stat(file)).size).toBeLessThan(before * 0.7)
  expect((await stat(file)).size).toBeLessThan(pruned.bytesAfter + 2 * 1024 * 1024)
})

it('never takes the events of a task that goes on in the meantime', async () => {
  const store = await makeScratchStore()
  onTestFinished(() => store.remove())
  const { db } = await store.open()
  await addEndedTask(db, 'a', {}, { events: 1_500 })
  const running = prune(db, { now: NOW, retention: { ...KEEP_ALL, eventMaxAgeMs: 0 } })
  const resumed = db.updateTable('tasks').set({ status: 'working', ended_at: null }).execute()
  await Promise.all([running, resumed])
  const left = await countOf(db, 'events')
  expect(left).toBeGreaterThanOrEqual(1_000)
  expect((await running).events).toBe(1_500 - left)
})
