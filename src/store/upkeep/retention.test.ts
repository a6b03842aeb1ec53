import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { STORES, type TestStore } from '../../../test/support/stores.ts'
import { addEndedTask } from '../fixtures/ended-task.ts'
import { approvalRow, countOf, eventRow, messageRow, noticeRow } from '../fixtures/sample-rows.ts'
import { hasEnded, TASK_STATUSES } from '../task-statuses.ts'
import { DEFAULT_RETENTION, prune, type Retention } from './retention.ts'
import { usedBytes } from './space.ts'

const DAY = 24 * 60 * 60 * 1000
const NOW = 1_000 * DAY
const KEEP_ALL: Retention = { taskMaxAgeMs: null, eventMaxAgeMs: null, maxBytes: null }

describe.each(STORES)('by age, on $name', ({ make }) => {
  const open = async () => openOn(await make())

  it('deletes tasks that ended long ago with all that is theirs, and keeps their audit', async () => {
    const { db, check } = await open()
    await addEndedTask(db, 'old', { ended_at: NOW - 31 * DAY })
    await addEndedTask(db, 'young', { ended_at: NOW - 29 * DAY })
    const pruned = await prune(db, { now: NOW, retention: { ...KEEP_ALL, taskMaxAgeMs: 30 * DAY } })
    expect(pruned).toMatchObject({ tasks: ['old'], trimmed: [], events: 10 })
    for (const table of ['tasks', 'task_labels', 'messages', 'approvals'] as const)
      expect([table, await countOf(db, table)]).toEqual([table, 1])
    expect(await countOf(db, 'events')).toBe(10)
    expect(await countOf(db, 'audit')).toBe(2)
    expect(await check()).toEqual([])
  })

  it('deletes only the events, unless told otherwise', async () => {
    const { db } = await open()
    await addEndedTask(db, 'old', { ended_at: NOW - 91 * DAY })
    await addEndedTask(db, 'young', { ended_at: NOW - 89 * DAY })
    const pruned = await prune(db, { now: NOW, retention: DEFAULT_RETENTION })
    expect(pruned).toMatchObject({ tasks: [], trimmed: ['old'], events: 10, notices: 1 })
    expect(await countOf(db, 'tasks')).toBe(2)
    const { last_seq } = await db
      .selectFrom('tasks')
      .select('last_seq')
      .where('id', '=', 'old')
      .executeTakeFirstOrThrow()
    expect(last_seq).toBe(10)
  })

  it('keeps notices that were not sent yet', async () => {
    const { db } = await open()
    await addEndedTask(db, 'old', { ended_at: NOW - 91 * DAY })
    await db
      .insertInto('outbox')
      .values(noticeRow('unsent', 'old', { status: 'pending' }))
      .execute()
    await prune(db, { now: NOW, retention: { ...DEFAULT_RETENTION, taskMaxAgeMs: DAY } })
    expect(await db.selectFrom('outbox').select('id').execute()).toEqual([{ id: 'unsent' }])
  })
})

describe.each(STORES)('by size, on $name', ({ make }) => {
  const open = async () => openOn(await make())

  it('takes events of the tasks that ended first until it is small enough', async () => {
    const { db } = await open()
    for (let index = 0; index < 10; index++)
      await addEndedTask(db, `task-${index}`, { ended_at: 1_000 - index }, { events: 200 })
    const maxBytes = Math.floor((await usedBytes(db)) * 0.7)
    const pruned = await prune(db, { now: NOW, retention: { ...KEEP_ALL, maxBytes } })
    expect(pruned.trimmed.slice(0, 3)).toEqual(['task-9', 'task-8', 'task-7'])
    expect(pruned.trimmed.length).toBeLessThan(6)
    expect(pruned.tasks).toEqual([])
    expect(pruned.bytesAfter).toBeLessThanOrEqual(maxBytes)
  })

  it('takes the tasks themselves when their events are not enough, and stops at what must stay', async () => {
    const { db } = await open()
    await addEndedTask(db, 'ended', {})
    await addEndedTask(db, 'working', { status: 'working', ended_at: null })
    const pruned = await prune(db, { now: NOW, retention: { ...KEEP_ALL, maxBytes: 1 } })
    expect(pruned).toMatchObject({ trimmed: [], tasks: ['ended'], events: 10 })
    expect(await countOf(db, 'events')).toBe(10)
  })
})

describe.each(STORES)('never, on $name', ({ make }) => {
  const open = async () => openOn(await make())

  const everything: Retention = { taskMaxAgeMs: 0, eventMaxAgeMs: 0, maxBytes: 0 }

  it('takes anything of a task that has not ended, is owed something, or goes on by itself', async () => {
    const { db } = await open()
    const kept = TASK_STATUSES.filter(
      (status) => !hasEnded(status) || status === 'limited' || status === 'idle',
    )
    for (const status of TASK_STATUSES) await addEndedTask(db, status, { status })
    await addEndedTask(db, 'asked', {})
    await db.insertInto('approvals').values(approvalRow('open', 'asked')).execute()
    await addEndedTask(db, 'told', { status: 'failed' })
    await db
      .insertInto('messages')
      .values(messageRow('waiting', 'told', { status: 'queued' }))
      .execute()
    await addEndedTask(db, 'put away', { status: 'idle', archived_at: 5 })
    await prune(db, { now: NOW, retention: everything })
    const left = await db.selectFrom('tasks').select('id').orderBy('id').execute()
    expect(left.map(({ id }) => id)).toEqual([...kept, 'asked', 'told'].toSorted())
    expect(await countOf(db, 'events')).toBe(left.length * 10)
  })

  it('holds for every mixture of tasks and limits', async () => {
    const { db, check } = await open()
    const task = fc.record({
      status: fc.constantFrom(...TASK_STATUSES),
      age: fc.nat(100),
      isArchived: fc.boolean(),
      hasQuestion: fc.boolean(),
      events: fc.nat(20),
    })
    const limit = fc.option(fc.nat(100))
    await fc.assert(
      fc.asyncProperty(
        fc.array(task, { maxLength: 12 }),
        limit,
        limit,
        fc.option(fc.nat(300_000)),
        async (tasks, taskDays, eventDays, maxBytes) => {
          await db.deleteFrom('tasks').execute()
          await db.deleteFrom('events').execute()
          await db.deleteFrom('audit').execute()
          for (const [index, { status, age, isArchived, hasQuestion, events }] of tasks.entries()) {
            const ended_at = NOW - age * DAY
            const id = `task-${String(index).padStart(2, '0')}`
            await addEndedTask(
              db,
              id,
              { status, ended_at, archived_at: isArchived ? ended_at : null },
              { events },
            )
            if (hasQuestion)
              await db
                .insertInto('approvals')
                .values(approvalRow(`open-${index}`, id))
                .execute()
          }
          const taskMaxAgeMs = taskDays === null ? null : taskDays * DAY
          const eventMaxAgeMs = eventDays === null ? null : eventDays * DAY
          const pruned = await prune(db, { now: NOW, retention: { taskMaxAgeMs, eventMaxAgeMs, maxBytes } })
          for (const id of [...pruned.tasks, ...pruned.trimmed]) {
            const { status, hasQuestion, isArchived } = tasks[Number(id.slice(5))]!
            expect(hasEnded(status) && status !== 'limited' && !hasQuestion).toBe(true)
            if (status === 'idle') expect(isArchived).toBe(true)
          }
          expect(await countOf(db, 'tasks')).toBe(tasks.length - pruned.tasks.length)
          expect(await countOf(db, 'audit')).toBe(tasks.length)
          expect(await check()).toEqual([])
        },
      ),
      { numRuns: 25 },
    )
  })
})

describe.each(STORES)('cut short, on $name', ({ make }) => {
  const open = async () => openOn(await make())

  it('leaves events without a task, and the next run takes them', async () => {
    const { db, check } = await open()
    await addEndedTask(db, 'kept', { status: 'working', ended_at: null })
    await db
      .insertInto('events')
      .values([eventRow('gone', 1), eventRow('zone', 1)])
      .execute()
    expect(await check()).toMatchObject([
      expect.stringContaining('events of task gone are left'),
      expect.stringContaining('events of task zone are left'),
    ])
    expect(await prune(db, { now: NOW, retention: KEEP_ALL })).toMatchObject({ events: 2, tasks: [] })
    expect(await check()).toEqual([])
  })

  it('takes them among the events of thousands of tasks', async () => {
    const { db } = await open()
    await addEndedTask(db, 'task-1500', {})
    const gone = Array.from({ length: 2_500 }, (_, index) => `task-${String(index).padStart(4, '0')}`)
    const events = gone.filter((id) => id !== 'task-1500').map((id) => eventRow(id, 1))
    for (let at = 0; at < events.length; at += 500)
      await db
        .insertInto('events')
        .values(events.slice(at, at + 500))
        .execute()
    expect(await prune(db, { now: NOW, retention: KEEP_ALL })).toMatchObject({ events: 2_499, tasks: [] })
    expect(await countOf(db, 'events')).toBe(10)
  })

  it('stops when it is told to', async () => {
    const { db } = await open()
    await addEndedTask(db, 'a', {})
    const signal = AbortSignal.abort(new Error('shutting down'))
    const pruning = prune(db, { now: NOW, retention: { ...KEEP_ALL, eventMaxAgeMs: 0 }, signal })
    await expect(pruning).rejects.toThrow('shutting down')
  })
})

async function openOn(store: TestStore) {
  return { ...(await store.open()), check: store.check }
}
