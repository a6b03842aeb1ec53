import { describe, expect, it, onTestFinished } from 'vitest'
import { approvalRow, messageRow, taskRow } from '../../store/fixtures/sample-rows.ts'
import { makeScratchStore } from '../../store/fixtures/scratch-store.ts'
import {
  deleteTask,
  insertApproval,
  insertTask,
  prune,
  recordTurn,
  settleApproval,
  type TurnInsert,
  updateTask,
} from '../../store/index.ts'
import { resultColumns } from '../model/result-columns.ts'
import { TaskViews } from './task-views.ts'

const BERLIN = 'Europe/Berlin'
const at = (text: string) => Date.parse(text)

async function open({ now = '2026-11-16T12:00Z' } = {}) {
  const store = await makeScratchStore()
  onTestFinished(() => store.remove())
  const { db, reader } = await store.open()
  const frames = { put: async () => {}, get: async () => null, forget: async () => {} }
  return { db, views: new TaskViews({ reader, frames, now: () => at(now) }) }
}

function turn(turnId: string, ended: string, change: Partial<TurnInsert> = {}): TurnInsert {
  return {
    ...{ task_id: 'a', turn_id: turnId, thread_id: 'thread', status: 'completed' },
    started_at: at(ended) - 1_000,
    ended_at: at(ended),
    ...{ input_tokens: 100, cached_input_tokens: 40, output_tokens: 10, reasoning_output_tokens: 3 },
    ...change,
  }
}

describe('tasks are counted', () => {
  it('all of them, by the same filters as the list, however many there are', async () => {
    const { db, views } = await open()
    for (let index = 0; index < 230; index++)
      await insertTask(db, taskRow(`task-${index}`, { status: index < 3 ? 'waiting' : 'idle' }), [
        index % 2 === 0 ? 'even' : 'odd',
      ])
    await updateTask(db, 'task-0', { archived_at: 1, title: 'Old one' })
    expect(await views.count({})).toEqual({ total: 229, byStatus: { waiting: 2, idle: 227 } })
    expect(await views.count({ archived: true })).toMatchObject({ total: 230 })
    expect(await views.count({ archived: 'only', search: 'old' })).toEqual({
      total: 1,
      byStatus: { waiting: 1 },
    })
    expect(await views.count({ labels: ['even'], status: ['waiting'] })).toEqual({
      total: 1,
      byStatus: { waiting: 1 },
    })
    await updateTask(db, 'task-1', { waiting_for: 'worker' })
    await updateTask(db, 'task-2', { waiting_for: 'approval' })
    const [forWorker, forPerson] = [{ waitingFor: 'worker' }, { waitingFor: 'person' }] as const
    expect(await views.count(forWorker)).toEqual({ total: 228, byStatus: { waiting: 1, idle: 227 } })
    expect(await views.count(forPerson)).toEqual({ total: 228, byStatus: { waiting: 1, idle: 227 } })
    const list = await views.list({ ...forWorker, status: ['waiting'] })
    expect(list.items.map(({ id }) => id)).toEqual(['task-1'])
    expect(await views.count({ labels: ['none'] })).toEqual({ total: 0, byStatus: {} })
  })
})

describe('usage', () => {
  it('has two turns of a task on the days they were, by local midnight', async () => {
    const { db, views } = await open()
    await recordTurn(db, turn('one', '2026-11-15T22:59:59.999Z'))
    await recordTurn(db, turn('two', '2026-11-15T23:00:01Z', { input_tokens: 5 }))
    const { days, total } = await views.usage({ days: 2, timeZone: BERLIN })
    expect(
      days.map(({ date, turns, tokens }) => [date, turns.started, turns.completed, tokens.input]),
    ).toEqual([
      ['2026-11-15', 1, 1, 100],
      ['2026-11-16', 1, 1, 5],
    ])
    expect(total).toEqual({
      turns: { started: 2, completed: 2, failed: 0, interrupted: 0 },
      tokens: { input: 105, cachedInput: 80, output: 20, reasoningOutput: 6 },
      questions: { asked: 0, byRule: 0, byPerson: 0, byDefault: 0, withdrawn: 0 },
      wait: null,
    })
    const inUtc = await views.usage({ days: 2, timeZone: 'UTC' })
    expect(inUtc.days.map(({ turns }) => turns.completed)).toEqual([2, 0])
  })

  it('has every hour of the days on which clocks change, once', async () => {
    const { db, views } = await open()
    for (let hour = 0; hour < 72; hour++)
      await recordTurn(
        db,
        turn(`${hour}`, new Date(at('2026-10-23T22:30Z') + hour * 3_600_000).toISOString()),
      )
    const { days } = await views.usage({ days: 3, timeZone: BERLIN, to: '2026-10-26' })
    expect(days.map(({ date, turns }) => [date, turns.completed])).toEqual([
      ['2026-10-24', 24],
      ['2026-10-25', 25],
      ['2026-10-26', 23],
    ])
  })

  it('has a turn that began before midnight on both days, and its tokens on the one it ended', async () => {
    const { db, views } = await open()
    await recordTurn(db, turn('late', '2026-11-16T00:10Z', { started_at: at('2026-11-15T23:50Z') }))
    const { days } = await views.usage({ days: 2, timeZone: 'UTC' })
    expect(days.map(({ turns, tokens }) => [turns.started, turns.completed, tokens.input])).toEqual([
      [1, 0, 0],
      [0, 1, 100],
    ])
  })

  it('counts a turn once, however often its end is told, and all it used', async () => {
    const { db, views } = await open()
    await recordTurn(db, turn('one', '2026-11-15T10:00Z', { status: 'lost' }))
    await recordTurn(db, turn('one', '2026-11-16T10:00Z', { input_tokens: 11, output_tokens: 0 }))
    const { total, days } = await views.usage({ days: 2, timeZone: 'UTC' })
    expect(total).toMatchObject({
      turns: { started: 1, completed: 1, failed: 0 },
      tokens: { input: 111, output: 10 },
    })
    expect(days[1]!.turns).toMatchObject({ started: 0, completed: 1 })
  })

  it('tells turns apart by how they ended', async () => {
    const { db, views } = await open()
    for (const status of ['completed', 'failed', 'timed-out', 'lost', 'interrupted', 'unknown'])
      await recordTurn(db, turn(status, '2026-11-16T10:00Z', { status }))
    const { total } = await views.usage({ days: 1, timeZone: 'UTC' })
    expect(total.turns).toEqual({ started: 6, completed: 1, failed: 3, interrupted: 1 })
  })

  it('counts a turn that runs among those that began', async () => {
    const { db, views } = await open()
    await db
      .insertInto('tasks')
      .values(taskRow('a', { status: 'waiting', turn_id: 'now', ended_at: null }))
      .execute()
    const sent = { turn_id: 'now', updated_at: at('2026-11-16T09:00Z') }
    const steered = { turn_id: 'now', mode: 'steer', updated_at: at('2026-11-15T09:00Z') }
    await db
      .insertInto('messages')
      .values([messageRow('m1', 'a', sent), messageRow('m2', 'a', steered), messageRow('m3', 'a')])
      .execute()
    const usage = await views.usage({ days: 2, timeZone: 'UTC' })
    expect(usage.days.map(({ turns }) => turns.started)).toEqual([0, 1])
    await updateTask(db, 'a', { status: 'completed', turn_id: null })
    await recordTurn(db, turn('now', '2026-11-16T10:00Z'))
    expect((await views.usage({ days: 2, timeZone: 'UTC' })).total.turns.started).toBe(1)
  })

  it('is kept when events are pruned and tasks are deleted', async () => {
    const { db, views } = await open()
    const ended_at = at('2026-11-14T10:00Z')
    for (const id of ['deleted', 'pruned']) {
      await db.insertInto('tasks').values(taskRow(id, { ended_at })).execute()
      await recordTurn(db, turn('t', '2026-11-14T10:00Z', { task_id: id }))
      await insertApproval(db, approvalRow(`question-${id}`, id, { created_at: ended_at }) as never)
      await settle(db, `question-${id}`, { decided_by: 'person', settled_at: ended_at + 40_000 })
    }
    const before = await views.usage({ days: 7, timeZone: BERLIN })
    expect(before.total).toMatchObject({
      turns: { completed: 2 },
      tokens: { input: 200 },
      questions: { byPerson: 2 },
    })
    await deleteTask(db, 'deleted')
    const retention = { taskMaxAgeMs: 0, eventMaxAgeMs: 0, maxBytes: 0 }
    const { tasks } = await prune(db, { now: at('2026-11-16T12:00Z'), retention })
    expect(tasks).toEqual(['pruned'])
    expect(await views.usage({ days: 7, timeZone: BERLIN })).toEqual(before)
  })
})

describe('a long answer', () => {
  it('is cut in lists, found by its end, and whole in the task itself', async () => {
    const { db, views } = await open()
    const answers = {
      long: { text: `${'x'.repeat(1_999)}😀${'y'.repeat(3_000_000)} the end`, output: { a: 1 } },
      short: { text: 'z'.repeat(2_000), output: { a: 1 } },
    }
    for (const [id, answer] of Object.entries(answers))
      await db
        .insertInto('tasks')
        .values(taskRow(id, resultColumns({ turnId: 't', ...answer, isCut: false })))
        .execute()
    const listed = (await views.list({})).items.map(({ id, result }) => [id, result])
    expect(Object.fromEntries(listed)).toEqual({
      long: { turnId: 't', text: 'x'.repeat(1_999), output: null, isCut: true },
      short: { turnId: 't', ...answers.short, isCut: false },
    })
    expect((await views.list({ search: 'y the end' })).items.map(({ id }) => id)).toEqual(['long'])
    expect((await views.get('long')).result).toEqual({ turnId: 't', ...answers.long, isCut: false })
    const { task } = await views.show('long')
    expect(task.result!.text).toBe(answers.long.text)
  })

  it('gives way to a short one', async () => {
    const { db, views } = await open()
    const answer = (text: string) => resultColumns({ turnId: 't', text, output: null, isCut: false })
    await db
      .insertInto('tasks')
      .values(taskRow('a', answer('x'.repeat(5_000))))
      .execute()
    await updateTask(db, 'a', answer('done'))
    expect((await views.list({})).items[0]!.result).toMatchObject({ text: 'done', isCut: false })
  })
})

describe('questions', () => {
  it('are counted when they are asked and when they are settled, by whom', async () => {
    const { db, views } = await open()
    await db.insertInto('tasks').values(taskRow('a')).execute()
    const outcomes = ['rule', 'rule', 'rule', 'person', 'default', null]
    for (const [index, decided_by] of outcomes.entries()) {
      await insertApproval(
        db,
        approvalRow(`q${index}`, 'a', {
          created_at: at('2026-11-15T23:59Z'),
        }) as never,
      )
      const status = decided_by === null ? 'withdrawn' : 'answered'
      await settle(db, `q${index}`, { status, decided_by, settled_at: at('2026-11-16T00:01Z') })
    }
    await insertApproval(db, approvalRow('open', 'a', { created_at: at('2026-11-16T11:00Z') }) as never)
    const { days } = await views.usage({ days: 2, timeZone: 'UTC' })
    expect(days.map(({ questions }) => questions)).toEqual([
      { asked: 6, byRule: 0, byPerson: 0, byDefault: 0, withdrawn: 0 },
      { asked: 1, byRule: 3, byPerson: 1, byDefault: 1, withdrawn: 1 },
    ])
  })

  it('wait for people: the median and the longest, by day and in all', async () => {
    const { db, views } = await open()
    await db.insertInto('tasks').values(taskRow('a')).execute()
    const waited = { '2026-11-14': [9], '2026-11-15': [10, 40, 20, 30], '2026-11-16': [5, 1_000, 7] }
    for (const [date, seconds] of Object.entries(waited))
      for (const [index, wait] of seconds.entries()) {
        const id = `${date}-${index}`
        const settled_at = at(`${date}T12:00Z`)
        await insertApproval(db, approvalRow(id, 'a', { created_at: settled_at - wait * 1_000 }) as never)
        await settle(db, id, { decided_by: 'person', settled_at })
      }
    const { days, total } = await views.usage({ days: 4, timeZone: 'UTC' })
    expect(days.map(({ wait }) => wait)).toEqual([
      null,
      { medianMs: 9_000, maxMs: 9_000 },
      { medianMs: 25_000, maxMs: 40_000 },
      { medianMs: 7_000, maxMs: 1_000_000 },
    ])
    expect(total.wait).toEqual({ medianMs: 15_000, maxMs: 1_000_000 })
  })

  it('that are asked again count once, when they are settled for good', async () => {
    const { db, views } = await open()
    await db.insertInto('tasks').values(taskRow('a')).execute()
    await insertApproval(db, approvalRow('q', 'a', { created_at: at('2026-11-16T01:00Z') }) as never)
    await settle(db, 'q', { status: 'withdrawn', settled_at: at('2026-11-16T02:00Z') })
    const again = { from: 'withdrawn', status: 'pending', settled_at: null, decided_by: null }
    await settleApproval(db, 'q', again)
    expect((await views.usage({ days: 1, timeZone: 'UTC' })).total.questions).toMatchObject({
      asked: 1,
      withdrawn: 0,
    })
    await settle(db, 'q', { decided_by: 'person', settled_at: at('2026-11-16T03:00Z') })
    const { questions, wait } = (await views.usage({ days: 1, timeZone: 'UTC' })).total
    expect(questions).toEqual({ asked: 1, byRule: 0, byPerson: 1, byDefault: 0, withdrawn: 0 })
    expect(wait!.maxMs).toBe(2 * 3_600_000)
  })
})

async function settle(
  db: Parameters<typeof settleApproval>[0],
  id: string,
  change: Partial<Parameters<typeof settleApproval>[2]>,
): Promise<void> {
  await settleApproval(db, id, { from: 'pending', status: 'answered', ...change })
}
