// Two workers at once: on one question, on a rule that is revoked, on one idempotency key, on one queue.
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import {
  lastUserText,
  type ModelRequest,
  message,
  type Reply,
  shell,
  toolOutputs,
} from '../../../src/testing/index.ts'
import { openFleet } from '../../support/open-fleet.ts'
import { ALICE, allEvents } from '../../support/open-tasks.ts'
import { paramsOf, questionOf, taskThat } from '../../support/task-facts.ts'

const BOB = { actor: 'test:bob' }
const LOOPS = 20

async function twoWorkers(script: (request: ModelRequest) => Reply, settings = {}) {
  const fleet = await openFleet(script, { settings })
  const [a, b] = [await fleet.worker('a'), await fleet.worker('b')]
  return { ...fleet, a, b }
}

it('two workers that answer a question at once: one wins, and codex gets its answer', async () => {
  const { a, b, request, model } = await twoWorkers((call) => {
    const count = toolOutputs(call).length
    return count < LOOPS ? shell(`echo ran ${count}`, { escalate: 'please' }) : message('done')
  })
  const { id } = await a.tasks.start(request('go', { on: 'b' }), ALICE)
  const won: string[] = []
  for (let count = 0; count < LOOPS; count++) {
    const question = await questionOf(a.tasks, id)
    const given = [
      { tasks: a.tasks, answer: 'once', caller: ALICE },
      { tasks: b.tasks, answer: 'deny', caller: BOB },
    ] as const
    const answers = await Promise.allSettled(
      given.map(({ tasks, answer, caller }) => tasks.decide(question.id, { answer }, caller)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const loser = answers.find((each) => each.status === 'rejected')!
    expect(loser.reason).toMatchObject({ code: 'approval-settled' })
    won.push(given[answers.findIndex((each) => each.status === 'fulfilled')]!.answer)
  }
  await taskThat(a.tasks, id, ({ status }) => status === 'completed')
  const { items } = await a.tasks.audit({ taskId: id, limit: 100 })
  expect(items.map(({ answer }) => answer).toReversed()).toEqual(won)
  const ran = toolOutputs(model.requests.at(-1)!).map(({ text }) => /ran \d+\n/.test(text))
  expect(ran).toEqual(won.map((answer) => answer === 'once'))
})

it('no question is answered by a rule after the call that revoked it has returned', async () => {
  let isOver = false
  const { a, b, request } = await twoWorkers((call) =>
    isOver ? message('done') : shell(`echo ${toolOutputs(call).length}`, { escalate: 'please' }),
  )
  const { id } = await a.tasks.start(request('go', { on: 'b' }), ALICE)
  let ruled = 0
  for (let count = 0; count < LOOPS; count++) {
    const question = await questionOf(a.tasks, id)
    const rule = await [a, b][count % 2]!.tasks.addRule({ text: 'allow command echo' }, ALICE)
    await a.tasks.decide(question.id, { answer: 'once' }, ALICE)
    await delay(Math.random() * 400)
    await a.tasks.revokeRule(rule.id, ALICE)
    const { lastSeq } = await b.tasks.get(id)
    await questionOf(a.tasks, id)
    const byRule = (await allEvents(a.tasks, id)).filter(
      (event) => event.method === 'drawbridge/approval' && paramsOf(event).by === 'rule',
    )
    expect(byRule.filter(({ seq }) => seq > lastSeq)).toEqual([])
    ruled = byRule.length
  }
  isOver = true
  await a.tasks.decide((await questionOf(a.tasks, id)).id, { answer: 'once' }, ALICE)
  await taskThat(a.tasks, id, ({ status }) => status === 'completed')
  expect(ruled).toBeGreaterThan(0)
})

it('the same idempotency key at two doors at once makes one task, and one fork', async () => {
  const { a, b, request, model } = await twoWorkers(() => message('done'))
  const ids = new Set<string>()
  for (let count = 0; count < LOOPS; count++) {
    const one = request('go', { idempotencyKey: `key ${count}` })
    const [first, second] = await Promise.all([a.tasks.start(one, ALICE), b.tasks.start(one, ALICE)])
    expect(second.id).toBe(first.id)
    ids.add(first.id)
  }
  for (const id of ids) await taskThat(a.tasks, id, ({ status }) => status === 'completed')
  expect(await a.tasks.count({})).toMatchObject({ total: LOOPS })
  expect(model.requests).toHaveLength(LOOPS)
  const fork = { prompt: 'on', idempotencyKey: 'fork' }
  const [id] = ids
  const [first, second] = await Promise.all([a.tasks.fork(id!, fork, ALICE), b.tasks.fork(id!, fork, ALICE)])
  expect(second.id).toBe(first.id)
  expect(await a.tasks.count({})).toMatchObject({ total: LOOPS + 1 })
})

it('two workers with room for one turn each take tasks in the order of the queue', async () => {
  const count = 12
  const { a, b, request, model } = await twoWorkers(() => message('done', { count: 3, delayMs: 30 }), {
    maxWorking: 1,
  })
  const ids: string[] = []
  for (let index = 0; index < count; index++) {
    const { tasks } = [a, b][index % 2]!
    ids.push((await tasks.start(request(`task ${index}`), ALICE)).id)
  }
  for (const id of ids) await taskThat(a.tasks, id, ({ status }) => status === 'completed')
  const tasks = await Promise.all(ids.map((id) => a.tasks.get(id)))
  for (const worker of ['a', 'b']) {
    const begun = tasks.filter((task) => task.worker?.id === worker).map(({ startedAt }) => startedAt!)
    expect(begun.length).toBeGreaterThan(0)
    expect(begun).toEqual([...begun].sort((one, other) => one - other))
  }
  // Two that are taken at the same time may reach the model in any order.
  const order = model.requests.map((call) => Number(/\d+$/.exec(lastUserText(call))![0]))
  expect(order).toHaveLength(count)
  for (const [place, index] of order.entries()) expect(Math.abs(place - index)).toBeLessThanOrEqual(1)
})
