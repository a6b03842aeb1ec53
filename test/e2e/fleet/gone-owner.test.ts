// What can be done, at another door, with a task whose worker is cut off: what waits, what ends, what is refused.
import { expect, it } from 'vitest'
import type { TaskEvent } from '../../../src/tasks/index.ts'
import {
  functionCall,
  lastUserText,
  type ModelRequest,
  message,
  shell,
  toolOutputs,
} from '../../../src/testing/index.ts'
import { openCutOffStage as openStage } from '../../support/cut-off-stage.ts'
import { countsOf, makeGate } from '../../support/fleet-facts.ts'
import { ALICE } from '../../support/open-tasks.ts'
import { eventThat, paramsOf, questionOf, taskThat } from '../../support/task-facts.ts'

const BOB = { actor: 'test:bob' }

/** The first turn ends when the gate opens, others at once. */
async function openGated() {
  const gate = makeGate()
  const stage = await openStage(async (call: ModelRequest) => {
    if (lastUserText(call) === 'first') await gate.opened
    return message(`told ${lastUserText(call)}`)
  })
  const { id } = await stage.a.tasks.start(stage.request('first', { on: 'b' }), ALICE)
  await taskThat(stage.a.tasks, id, ({ turnId }) => turnId !== null)
  await expect.poll(() => stage.model.requests.length).toBe(1)
  return { ...stage, gate, id }
}

it('a message waits for the worker, and is the next turn when it is back', async () => {
  const { a, gate, id, lose, mend, model } = await openGated()
  await lose(id)
  const send = () => a.tasks.send(id, { input: 'second', mode: 'queue', clientMessageId: 'second' }, ALICE)
  const sent = await send()
  expect(sent.status).toBe('queued')
  expect((await send()).id).toBe(sent.id)
  expect(await a.tasks.get(id)).toMatchObject({ status: 'waiting', waitingFor: 'worker' })
  gate.open()
  mend()
  const task = await taskThat(
    a.tasks,
    id,
    ({ status, turnCount }) => status === 'completed' && turnCount === 2,
  )
  expect(task.result?.text).toBe('told second')
  expect(model.requests.map(lastUserText)).toEqual(['first', 'second'])
  expect(await countsOf(a.tasks, id)).toEqual({ userMessage: 2, agentMessage: 2, 'turn/completed': 2 })
})

it('a task that another worker acts on while its own comes back is taken back after that', async () => {
  const { a, gate, id, lose, mend, isBack } = await openGated()
  await lose(id)
  const { boot } = await a.db
    .selectFrom('workers')
    .select('boot')
    .where('id', '=', 'a')
    .executeTakeFirstOrThrow()
  const hold = (lease_boot: string | null) =>
    a.db.updateTable('tasks').set({ lease_boot }).where('id', '=', id).execute()
  await hold(boot)
  gate.open()
  mend()
  await isBack()
  expect(await a.tasks.get(id)).toMatchObject({ status: 'waiting', waitingFor: 'worker' })
  await hold(null)
  const task = await taskThat(a.tasks, id, ({ status }) => status === 'completed')
  expect(task).toMatchObject({ result: { text: 'told first' }, turnCount: 1 })
  expect(await countsOf(a.tasks, id)).toEqual({ userMessage: 1, agentMessage: 1, 'turn/completed': 1 })
})

it('what the log has of a turn is not told again when the worker was gone before it noted that the turn had begun', async () => {
  const { a, gate, id, lose, mend, model } = await openGated()
  await eventThat(
    a.tasks,
    id,
    ({ method, frame }) => method === 'item/completed' && frame.includes('userMessage'),
  )
  await lose(id)
  // As it is between the first events of a turn and codex's reply to its start.
  await a.db.updateTable('tasks').set({ turn_id: null, turn_count: 0 }).where('id', '=', id).execute()
  await a.db
    .updateTable('messages')
    .set({ status: 'sending', turn_id: null })
    .where('task_id', '=', id)
    .execute()
  gate.open()
  mend()
  const task = await taskThat(a.tasks, id, ({ status }) => status === 'completed')
  expect(task).toMatchObject({ result: { text: 'told first' }, turnCount: 1 })
  expect(model.requests).toHaveLength(1)
  expect(await countsOf(a.tasks, id)).toEqual({ userMessage: 1, agentMessage: 1, 'turn/completed': 1 })
})

it('an interrupt of a turn that codex may have begun ends it when the worker is back', async () => {
  const { a, id, lose, mend, isBack, model } = await openGated()
  await lose(id)
  await a.db.updateTable('tasks').set({ turn_id: null, turn_count: 0 }).where('id', '=', id).execute()
  await a.db
    .updateTable('messages')
    .set({ status: 'sending', turn_id: null })
    .where('task_id', '=', id)
    .execute()
  expect(await a.tasks.interrupt(id, BOB)).toMatchObject({ status: 'interrupted' })
  mend()
  const incident = await eventThat(a.tasks, id, ({ method }) => method === 'drawbridge/incident')
  expect(paramsOf(incident)).toMatchObject({ type: 'orphan-turn-ended' })
  await isBack()
  expect(await a.tasks.get(id)).toMatchObject({ status: 'interrupted' })
  expect(model.requests.map(lastUserText)).toEqual(['first', 'last'])
})

it('an interrupt ends the task at once, and its turn when the worker is back; a resume is refused before that', async () => {
  const { a, id, lose, mend, isBack, model } = await openGated()
  await lose(id)
  await expect(a.tasks.resume(id, {}, ALICE)).rejects.toMatchObject({ code: 'task-running' })
  const ended = await a.tasks.interrupt(id, BOB)
  expect(ended).toMatchObject({ status: 'interrupted', reason: expect.stringContaining('test:bob') })
  await expect(a.tasks.interrupt(id, BOB)).rejects.toMatchObject({ code: 'not-running' })
  mend()
  const incident = await eventThat(a.tasks, id, ({ method }) => method === 'drawbridge/incident')
  expect(paramsOf(incident)).toMatchObject({ type: 'orphan-turn-ended' })
  await isBack()
  expect(await a.tasks.get(id)).toMatchObject({ status: 'interrupted', turnCount: 1 })
  expect(model.requests.map(lastUserText)).toEqual(['first', 'last'])
})

it('a task whose turn was about to begin stays interrupted when the worker is back', async () => {
  const { a, b, request, lose, mend, isBack, model } = await openStage(() => message('done'))
  await isBack()
  const pid = b.pool.list()[0]!.pid!
  process.kill(pid, 'SIGSTOP')
  const { id } = await a.tasks.start(request('never', { on: 'b' }), ALICE)
  await taskThat(a.tasks, id, ({ status }) => status === 'starting')
  await lose(id)
  expect(await a.tasks.interrupt(id, BOB)).toMatchObject({ status: 'interrupted' })
  process.kill(pid, 'SIGCONT')
  mend()
  await isBack()
  expect(await a.tasks.get(id)).toMatchObject({ status: 'interrupted', turnCount: 0 })
  expect(model.requests.map(lastUserText)).not.toContain('never')
})

it('an answer is kept for the worker, and counts once; a fork waits for the worker', async () => {
  const { a, b, request, lose, mend, model } = await openStage((call: ModelRequest) =>
    toolOutputs(call).length > 0 ? message('done') : shell('echo ran', { escalate: 'please' }),
  )
  const { id } = await a.tasks.start(request('go', { on: 'b' }), ALICE)
  const question = await questionOf(a.tasks, id)
  await lose(id)
  expect(await a.tasks.decide(question.id, { answer: 'once' }, BOB)).toMatchObject({
    status: 'answered',
    actor: BOB.actor,
  })
  await expect(a.tasks.decide(question.id, { answer: 'deny' }, ALICE)).rejects.toMatchObject({
    code: 'approval-settled',
  })
  expect(await a.tasks.get(id)).toMatchObject({ status: 'waiting', waitingFor: 'worker' })
  const fork = await a.tasks.fork(id, { prompt: 'on' }, ALICE)
  await taskThat(a.tasks, fork.id, ({ reason }) =>
    reason.startsWith('it waits for the worker b, which has its thread and is not running'),
  )
  mend()
  const task = await taskThat(a.tasks, id, ({ status }) => status === 'completed')
  expect(task.result?.text).toBe('done')
  // The fork asks the model too, sooner or later than the task does.
  expect(model.requests.flatMap((call) => toolOutputs(call).slice(0, 1))[0]?.text).toContain('ran')
  expect((await b.tasks.audit({ taskId: id })).items).toHaveLength(1)
  expect(await countsOf(a.tasks, id)).toMatchObject({ 'approval pending': 1, 'approval answered': 1 })
  await taskThat(a.tasks, fork.id, ({ status }) => status !== 'queued')
  expect(await a.tasks.get(fork.id)).toMatchObject({ worker: { id: 'b' } })
})

it('a secret answer is refused, and the question stays open for when the worker is back', async () => {
  const options = [{ label: 'Yes', description: 'go' }]
  const questions = [
    { id: 'token', header: 'Token', question: 'Which token?', is_secret: true, isSecret: true, options },
  ]
  const { a, request, lose, mend, model } = await openStage(
    (call: ModelRequest) =>
      toolOutputs(call).length > 0
        ? message('thanks')
        : functionCall('request_user_input', { questions }, { callId: 'call-1' }),
    { config: { 'features.default_mode_request_user_input': true } },
  )
  const { id } = await a.tasks.start(request('go', { on: 'b' }), ALICE)
  const question = await questionOf(a.tasks, id)
  await lose(id)
  const decide = () =>
    a.tasks.decide(question.id, { answer: { answers: { token: ['correct-horse'] } } }, ALICE)
  await expect(decide()).rejects.toMatchObject({ code: 'worker-unreachable', details: { isDone: false } })
  expect(await a.tasks.approval(question.id)).toMatchObject({ status: 'pending' })
  mend()
  await taskThat(a.tasks, id, ({ waitingFor }) => waitingFor === 'input')
  await decide()
  await taskThat(a.tasks, id, ({ status }) => status === 'completed')
  expect(toolOutputs(model.requests.at(-1)!)[0]?.text).toContain('correct-horse')
})

it('a steer to a worker that is gone before it took it was not done, and says so', async () => {
  const { a, id, gate, cut, mend, model } = await openGated()
  cut()
  const steer = a.tasks.send(id, { input: 'steered', mode: 'steer' }, ALICE)
  await expect(steer).rejects.toMatchObject({ code: 'worker-unreachable', details: { isDone: false } })
  gate.open()
  mend()
  await taskThat(a.tasks, id, ({ status }) => status === 'completed')
  expect(model.requests.map(lastUserText)).not.toContain('steered')
})

it('a steer to a worker that is gone after it took it: nobody can tell, and it reaches codex at most once', async () => {
  const { a, b, id, gate, cut, mend, model } = await openGated()
  const pid = b.pool.list()[0]!.pid!
  process.kill(pid, 'SIGSTOP')
  const steer = a.tasks.send(id, { input: 'steered', mode: 'steer' }, ALICE).catch((error: unknown) => error)
  const states = () => a.db.selectFrom('commands').select('state').where('name', '=', 'send').execute()
  await expect.poll(states, { timeout: 5_000 }).toEqual([{ state: 'taken' }])
  cut()
  expect(await steer).toMatchObject({ code: 'worker-unreachable', details: { isDone: null } })
  process.kill(pid, 'SIGCONT')
  mend()
  gate.open()
  await taskThat(a.tasks, id, ({ status }) => status === 'completed')
  const told: TaskEvent[] = (await a.tasks.events(id, { after: 0 })).events.filter(
    (event) => event.method === 'item/completed' && event.frame.includes('"steered"'),
  )
  expect(told.length).toBeLessThanOrEqual(1)
  expect(model.requests.filter((call) => lastUserText(call) === 'steered').length).toBeLessThanOrEqual(1)
})
