// A worker that comes back to a turn that was given up, in a codex that does not answer: nothing else waits for that.
import { expect, it, onTestFinished } from 'vitest'
import { lastUserText, type ModelRequest, makeCodexHome, message } from '../../../src/testing/index.ts'
import { openCutOffStage } from '../../support/cut-off-stage.ts'
import { makeGate } from '../../support/fleet-facts.ts'
import { ALICE } from '../../support/open-tasks.ts'
import { otherClient } from '../../support/other-client.ts'
import { eventThat, paramsOf, taskThat } from '../../support/task-facts.ts'

/** `b` has one place, a task that rests in one codex home, and one at work in another. */
async function openStage() {
  const gate = makeGate()
  onTestFinished(() => gate.open())
  const stage = await openCutOffStage(
    async (call: ModelRequest) => {
      if (lastUserText(call) === 'held') await gate.opened
      return message(`told ${lastUserText(call)}`)
    },
    {},
    { maxWorking: 1 },
  )
  const { a, b, model, request } = stage
  const home = await makeCodexHome(model)
  onTestFinished(() => home.remove())
  const elsewhere = (prompt: string) =>
    a.tasks.start(request(prompt, { on: 'b', codexHome: home.path }), ALICE)
  const rested = await elsewhere('one')
  const { threadId } = await taskThat(a.tasks, rested.id, ({ status }) => status === 'completed')
  const thread = await (await otherClient({ pool: b.pool, home })).resume(threadId)
  const { id } = await a.tasks.start(request('held', { on: 'b' }), ALICE)
  await taskThat(a.tasks, id, ({ turnId }) => turnId !== null)
  await expect.poll(() => model.requests.length).toBe(2)
  const rowOf = () => a.db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const { app_server_id } = await rowOf()
  const pid = b.pool.list().find((appServer) => appServer.id === app_server_id)!.pid!
  return { ...stage, id, rested: rested.id, thread, elsewhere, rowOf, pid }
}

it('takes tasks into the one place it has, and hears of turns that another client begins', async () => {
  const { a, lose, mend, id, rested, thread, elsewhere, rowOf, pid } = await openStage()
  await lose(id)
  await a.tasks.interrupt(id, ALICE)
  process.kill(pid, 'SIGSTOP')
  onTestFinished(() => void process.kill(pid, 'SIGCONT'))
  mend()
  await expect.poll(async () => (await a.tasks.workers()).map(({ state }) => state)).toEqual(['up', 'up'])

  const next = await elsewhere('next')
  await taskThat(a.tasks, next.id, ({ status }) => status === 'completed')
  await thread.startTurn('two')
  await taskThat(a.tasks, rested, ({ status, turnCount }) => status === 'completed' && turnCount === 2)
  expect((await rowOf()).orphan_turn).not.toBeNull()

  process.kill(pid, 'SIGCONT')
  const incident = await eventThat(a.tasks, id, ({ method }) => method === 'drawbridge/incident')
  expect(paramsOf(incident)).toMatchObject({ type: 'orphan-turn-ended' })
  expect(await a.tasks.get(id)).toMatchObject({ status: 'interrupted', turnCount: 1 })
})
