// A worker that is killed or stopped in the middle of a turn: what is said of its tasks, and what becomes of them.
import { expect, it } from 'vitest'
import type { StartTask } from '../../../src/tasks/index.ts'
import { type ModelRequest, message, shell, toolOutputs } from '../../../src/testing/index.ts'
import { countsOf, expectFollowed, follow, LEASE, makeGate } from '../../support/fleet-facts.ts'
import { openFleet } from '../../support/open-fleet.ts'
import { ALICE, allEvents } from '../../support/open-tasks.ts'
import { serveWorker } from '../../support/serve-worker.ts'
import { eventThat, paramsOf, questionOf, taskThat } from '../../support/task-facts.ts'

/** The worker `b` is a process, `a` a door to it; the model answers when the gate opens. */
async function openStage(onLost: StartTask['onLost']) {
  const gate = makeGate()
  const fleet = await openFleet(
    async () => {
      await gate.opened
      return message('done')
    },
    { fleet: LEASE },
  )
  const a = await fleet.worker('a')
  const b = await serveWorker('b', { url: fleet.url, ...LEASE })
  const { id } = await a.tasks.start(fleet.request('go', { on: 'b', onLost, notify: ['local'] }), ALICE)
  await taskThat(a.tasks, id, ({ turnId }) => turnId !== null)
  await expect.poll(() => fleet.model.requests.length).toBe(1)
  return { ...fleet, a, b, gate, id }
}

it('is waited for when it was killed, and takes its task back with the result of the turn', async () => {
  const { a, b, gate, id, model } = await openStage('wait')
  const followed = follow(a.tasks, id)
  await b.kill()
  const waiting = await taskThat(a.tasks, id, ({ waitingFor }) => waitingFor === 'worker')
  expect(waiting).toMatchObject({
    status: 'waiting',
    reason: expect.stringMatching(
      /^its worker b on \S+ has not been heard of since .+: it goes on when that is back$/,
    ),
    evidence: { worker: { name: 'b', machine: expect.any(String) } },
  })
  expect((await a.tasks.workers()).map(({ name, state }) => [name, state])).toEqual([
    ['a', 'up'],
    ['b', 'lost'],
  ])
  gate.open()
  await b.start()
  const task = await taskThat(a.tasks, id, ({ status }) => status === 'completed')
  expect(task).toMatchObject({ result: { text: 'done' }, turnCount: 1, worker: { name: 'b' } })
  expect(await countsOf(a.tasks, id)).toEqual({ userMessage: 1, agentMessage: 1, 'turn/completed': 1 })
  expect(model.requests).toHaveLength(1)
  await expectFollowed(a.tasks, id, await followed())
})

it('is given up on when the task is to fail, and ends the turn that went on when it is back', async () => {
  const { a, b, id, model } = await openStage('fail')
  await b.kill()
  const lost = await taskThat(a.tasks, id, ({ status }) => status === 'lost')
  expect(lost).toMatchObject({
    turnId: null,
    reason: expect.stringMatching(/^its worker b on \S+ has not been heard of since /),
    evidence: { worker: { name: 'b' } },
  })
  const { items: notices } = await a.tasks.notices({ taskId: id })
  expect(notices).toMatchObject([
    { cause: 'lost', target: 'local', text: expect.stringContaining('its worker b') },
  ])
  await b.start()
  const ended = await eventThat(a.tasks, id, ({ method }) => method === 'drawbridge/incident')
  expect(paramsOf(ended)).toMatchObject({ type: 'orphan-turn-ended' })
  expect(await a.tasks.get(id)).toMatchObject({ status: 'lost', turnCount: 1 })
  expect(model.requests).toHaveLength(1)
  const resumed = await a.tasks.resume(id, { prompt: 'again' }, ALICE)
  // Its worker may have begun with it before the answer is read.
  expect(['queued', 'starting', 'working']).toContain(resumed.status)
  await expect.poll(() => model.requests.length, { timeout: 20_000 }).toBe(2)
})

it('that was stopped for longer than its lease cannot write, joins again and goes on; nothing is doubled', async () => {
  const fleet = await openFleet(
    (request: ModelRequest) =>
      toolOutputs(request).length > 0
        ? message('done')
        : [message('thinking ', { count: 20, delayMs: 100 }), shell('touch made', { escalate: 'please' })],
    { fleet: LEASE },
  )
  const a = await fleet.worker('a')
  const b = await serveWorker('b', { url: fleet.url, ...LEASE })
  const { id } = await a.tasks.start(fleet.request('go', { on: 'b' }), ALICE)
  const followed = follow(a.tasks, id)
  await eventThat(a.tasks, id, ({ method }) => method === 'item/agentMessage/delta')
  process.kill(b.pid, 'SIGSTOP')
  await taskThat(a.tasks, id, ({ waitingFor }) => waitingFor === 'worker')
  process.kill(b.pid, 'SIGCONT')
  const question = await questionOf(a.tasks, id)
  await a.tasks.decide(question.id, { answer: 'once' }, ALICE)
  const task = await taskThat(a.tasks, id, ({ status }) => status === 'completed')
  expect(task).toMatchObject({ result: { text: 'done' }, turnCount: 1 })
  expect(await countsOf(a.tasks, id)).toEqual({
    ...{ userMessage: 1, agentMessage: 2, commandExecution: 1, 'turn/completed': 1 },
    ...{ 'approval pending': 1, 'approval answered': 1 },
  })
  expect((await a.tasks.audit({ taskId: id })).items).toHaveLength(1)
  expect(fleet.model.requests).toHaveLength(2)
  const statuses = (await allEvents(a.tasks, id))
    .filter(({ method }) => method === 'drawbridge/task')
    .map((event) => paramsOf(event).reason as string)
  expect(statuses).toContain('its worker is back, and looks for the turn')
  await expectFollowed(a.tasks, id, await followed())
  const { readFileSync } = await import('node:fs')
  expect(readFileSync(b.toldIn, 'utf8')).toContain('it joins again, and looks for its turns')
})
