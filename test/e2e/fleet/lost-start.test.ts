// A task that is to fail when its worker is lost, cut off while codex was being asked to begin its turn: the message waits
// for a resume, and codex does it at most once before that.
import { expect, it, onTestFinished } from 'vitest'
import { lastUserText, type ModelRequest, message } from '../../../src/testing/index.ts'
import { openCutOffStage } from '../../support/cut-off-stage.ts'
import { makeGate } from '../../support/fleet-facts.ts'
import { ALICE } from '../../support/open-tasks.ts'
import { otherClient } from '../../support/other-client.ts'
import { eventThat, paramsOf, taskThat } from '../../support/task-facts.ts'

/** The task is lost, and its codex stopped with the start of `second` on its way; `second` ends when the gate opens. */
async function openStage() {
  const gate = makeGate()
  onTestFinished(() => gate.open())
  const stage = await openCutOffStage(async (call: ModelRequest) => {
    if (lastUserText(call) === 'second') await gate.opened
    return message(`told ${lastUserText(call)}`)
  })
  const { a, b, cut, request, model, home } = stage
  const { id } = await a.tasks.start(request('first', { on: 'b', onLost: 'fail' }), ALICE)
  const { threadId } = await taskThat(a.tasks, id, ({ status }) => status === 'completed')
  const other = await otherClient({ pool: b.pool, home })
  const pid = b.pool.list()[0]!.pid!
  process.kill(pid, 'SIGSTOP')
  onTestFinished(() => void process.kill(pid, 'SIGCONT'))
  await a.tasks.send(id, { input: 'second', mode: 'queue' }, ALICE)
  const messages = async () =>
    (await a.db.selectFrom('messages').select(['text', 'status']).where('task_id', '=', id).execute())
      .filter(({ text }) => text === 'second')
      .map(({ status }) => status)
  await expect.poll(messages).toEqual(['sending'])
  cut()
  await taskThat(a.tasks, id, ({ status }) => status === 'lost')
  expect(await messages()).toEqual(['queued'])
  const goOn = () => process.kill(pid, 'SIGCONT')
  const seconds = () => model.requests.filter((call) => lastUserText(call) === 'second').length
  return { ...stage, gate, id, threadId, other, messages, goOn, seconds }
}

it('stays lost when the turn that began is ended, and when another client has a turn; a resume sends the message', async () => {
  const { a, gate, id, threadId, other, messages, goOn, mend, isBack, seconds } = await openStage()
  goOn()
  await expect.poll(seconds).toBe(1)
  mend()
  const incident = await eventThat(a.tasks, id, ({ method }) => method === 'drawbridge/incident')
  expect(paramsOf(incident)).toMatchObject({ type: 'orphan-turn-ended' })
  await isBack()
  await other.begin(threadId, 'elsewhere')
  await eventThat(a.tasks, id, ({ frame }) => /drawbridge\/task.*begunElsewhere/.test(frame))
  const ended = await taskThat(a.tasks, id, ({ status }) => status !== 'working')
  expect(ended).toMatchObject({
    ...{ status: 'lost', turnCount: 2, result: { text: 'told elsewhere' } },
    reason: expect.stringContaining('resume the task'),
  })
  expect(await messages()).toEqual(['queued'])
  expect(seconds()).toBe(1)
  gate.open()
  await a.tasks.resume(id, {}, ALICE)
  const task = await taskThat(a.tasks, id, ({ status }) => status === 'completed')
  expect(task).toMatchObject({ turnCount: 3, result: { text: 'told second' } })
  expect(seconds()).toBe(2)
})

it('has the result of the turn when that ended by itself while the worker was gone, and the message is not sent again', async () => {
  const { a, gate, id, messages, goOn, mend, isBack, seconds } = await openStage()
  gate.open()
  goOn()
  await expect.poll(seconds).toBe(1)
  mend()
  const task = await taskThat(a.tasks, id, ({ status }) => status === 'completed')
  expect(task).toMatchObject({ turnCount: 2, result: { text: 'told second' } })
  expect(await messages()).toEqual(['delivered'])
  await isBack()
  expect(await a.tasks.get(id)).toMatchObject({ status: 'completed', turnCount: 2 })
  expect(seconds()).toBe(1)
})
