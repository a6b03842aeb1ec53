// A worker whose clock is an hour off, and a worker that drains.
import { expect, it } from 'vitest'
import { type ModelRequest, message, shell, toolOutputs } from '../../../src/testing/index.ts'
import { LEASE, makeGate } from '../../support/fleet-facts.ts'
import { openFleet } from '../../support/open-fleet.ts'
import { ALICE, allEvents } from '../../support/open-tasks.ts'
import { questionOf, taskThat } from '../../support/task-facts.ts'

const HOUR_MS = 3_600_000
/** More than any of this takes, and much less than an hour. */
const NEAR_MS = 60_000

it.each([HOUR_MS, -HOUR_MS])(
  'deadlines, limits and times are right on a worker whose clock is %s ms off',
  async (offMs) => {
    const fleet = await openFleet((call: ModelRequest) =>
      toolOutputs(call).length > 0 ? message('done') : shell('touch made', { escalate: 'please' }),
    )
    const a = await fleet.worker('a')
    const b = await fleet.worker('b', { now: () => Date.now() + offMs })
    const startedAt = Date.now()
    const soon = await b.tasks.start(fleet.request('go', { on: 'b', approvalTimeoutMs: 2_000 }), ALICE)
    const question = await questionOf(a.tasks, soon.id)
    expect(Math.abs(question.createdAt - Date.now())).toBeLessThan(NEAR_MS)
    expect(question.deadlineAt! - question.createdAt).toBe(2_000)
    const done = await taskThat(a.tasks, soon.id, ({ status }) => status === 'completed')
    expect(Date.now() - startedAt).toBeGreaterThan(1_900)
    expect(await a.tasks.approval(question.id)).toMatchObject({ status: 'answered', by: 'default' })
    for (const time of [done.createdAt, done.startedAt, done.endedAt, done.updatedAt])
      expect(Math.abs(time! - Date.now())).toBeLessThan(NEAR_MS)
    for (const { at } of await allEvents(a.tasks, soon.id))
      expect(Math.abs(at - Date.now())).toBeLessThan(NEAR_MS)
    const timed = await b.tasks.start(fleet.request('go', { on: 'b', timeoutMs: 1_500 }), ALICE)
    await questionOf(a.tasks, timed.id)
    expect(await a.tasks.get(timed.id)).toMatchObject({ status: 'waiting' })
    // Until a person has answered, the time stands still.
    await a.tasks.decide((await questionOf(a.tasks, timed.id)).id, { answer: 'once' }, ALICE)
    await taskThat(a.tasks, timed.id, ({ status }) => status === 'completed')
    expect((await a.tasks.workers()).map(({ name, state }) => [name, state])).toEqual([
      ['a', 'up'],
      ['b', 'up'],
    ])
  },
)

it('tasks are begun in the order they came, whatever the clock of their door', async () => {
  const fleet = await openFleet(() => message('done'), { settings: { maxWorking: 1 } })
  const a = await fleet.worker('a')
  const b = await fleet.worker('b', { now: () => Date.now() + HOUR_MS })
  const ids: string[] = []
  for (let index = 0; index < 8; index++) {
    const { tasks } = [b, a][index % 2]!
    ids.push((await tasks.start(fleet.request(`task ${index}`, { on: 'a' }), ALICE)).id)
  }
  for (const id of ids) await taskThat(a.tasks, id, ({ status }) => status === 'completed')
  const begun = await Promise.all(ids.map(async (id) => (await a.tasks.get(id)).startedAt!))
  expect(begun).toEqual([...begun].sort((one, other) => one - other))
})

it('a worker that drains takes nothing more from then on, ends what it has, and takes tasks again when it is told to', async () => {
  const gate = makeGate()
  const fleet = await openFleet(
    async () => {
      await gate.opened
      return message('done')
    },
    // With a long lease, so that it hears of it late.
    { fleet: { leaseMs: 10 * LEASE.leaseMs } },
  )
  const [a, b] = [await fleet.worker('a'), await fleet.worker('b')]
  const running = await a.tasks.start(fleet.request('go', { on: 'b' }), ALICE)
  await taskThat(a.tasks, running.id, ({ status }) => status === 'working')
  expect(await a.tasks.drainWorker('b', { isDraining: true })).toMatchObject({ state: 'draining' })
  const bound = await a.tasks.start(fleet.request('go', { on: 'b' }), ALICE)
  const free = await b.tasks.start(fleet.request('go'), ALICE)
  gate.open()
  await taskThat(a.tasks, running.id, ({ status }) => status === 'completed')
  expect(await taskThat(b.tasks, free.id, ({ status }) => status === 'completed')).toMatchObject({
    worker: { id: 'a' },
  })
  const waiting = await taskThat(a.tasks, bound.id, ({ reason }) => reason.includes('draining'))
  expect(waiting).toMatchObject({
    status: 'queued',
    reason: 'it waits for a worker with the name or label b: all that run are draining',
  })
  await a.tasks.drainWorker('b', { isDraining: false })
  expect(await taskThat(a.tasks, bound.id, ({ status }) => status === 'completed')).toMatchObject({
    worker: { id: 'b' },
  })
})
