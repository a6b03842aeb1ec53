// An interrupt that was accepted while the worker of a task was gone holds when that worker is back, whatever codex does.
import { expect, it, onTestFinished } from 'vitest'
import { lastUserText, type ModelRequest, message } from '../../../src/testing/index.ts'
import { openCutOffStage } from '../../support/cut-off-stage.ts'
import { makeGate } from '../../support/fleet-facts.ts'
import { ALICE } from '../../support/open-tasks.ts'
import { eventThat, paramsOf, taskThat } from '../../support/task-facts.ts'

const BOB = { actor: 'test:bob' }

/** The turns `held` last until the test has finished. */
async function openStage() {
  const gate = makeGate()
  onTestFinished(() => gate.open())
  const stage = await openCutOffStage(async (call: ModelRequest) => {
    if (lastUserText(call) === 'held') await gate.opened
    return message(`told ${lastUserText(call)}`)
  })
  const { a, b, request } = stage
  const rowOf = (id: string) =>
    a.db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const stopCodex = async (id: string) => {
    const { app_server_id } = await rowOf(id)
    const pid = b.pool.list().find((appServer) => appServer.id === app_server_id)!.pid!
    process.kill(pid, 'SIGSTOP')
    onTestFinished(() => void process.kill(pid, 'SIGCONT'))
    return () => process.kill(pid, 'SIGCONT')
  }
  const start = (prompt: string) => a.tasks.start(request(prompt, { on: 'b' }), ALICE)
  return { ...stage, rowOf, stopCodex, start }
}

it('of a turn in a codex that does not answer when the worker is back: it is ended when codex does', async () => {
  const { a, b, lose, mend, model, rowOf, stopCodex, start } = await openStage()
  const { id } = await start('held')
  await taskThat(a.tasks, id, ({ turnId }) => turnId !== null)
  await expect.poll(() => model.requests.length).toBe(1)
  await lose(id)
  expect(await a.tasks.interrupt(id, BOB)).toMatchObject({ status: 'interrupted' })
  const goOn = await stopCodex(id)
  mend()
  await expect.poll(async () => (await a.tasks.workers()).map(({ state }) => state)).toEqual(['up', 'up'])
  expect((await rowOf(id)).orphan_turn).not.toBeNull()
  goOn()
  const incident = await eventThat(a.tasks, id, ({ method }) => method === 'drawbridge/incident')
  expect(paramsOf(incident)).toMatchObject({ type: 'orphan-turn-ended' })
  await b.tasks.recovered
  expect((await rowOf(id)).orphan_turn).toBeNull()
  // It can go on: nothing is in its way.
  await a.tasks.send(id, { input: 'last', mode: 'queue' }, ALICE)
  await taskThat(a.tasks, id, ({ status, turnCount }) => status === 'completed' && turnCount === 2)
})

it('of a turn whose start was on its way to a codex that did not answer', async () => {
  const { a, b, lose, mend, model, rowOf, stopCodex, start } = await openStage()
  const { id } = await start('first')
  await taskThat(a.tasks, id, ({ status }) => status === 'completed')
  const goOn = await stopCodex(id)
  await a.tasks.send(id, { input: 'held', mode: 'queue' }, ALICE)
  const statuses = async () =>
    (await a.db.selectFrom('messages').select('status').where('task_id', '=', id).execute()).map(
      ({ status }) => status,
    )
  await expect.poll(statuses).toContain('sending')
  await lose(id)
  expect(await a.tasks.interrupt(id, BOB)).toMatchObject({ status: 'interrupted' })
  mend()
  await expect.poll(async () => (await a.tasks.workers()).map(({ state }) => state)).toEqual(['up', 'up'])
  expect((await rowOf(id)).orphan_turn).toBe('unknown')
  goOn()
  await expect.poll(async () => (await rowOf(id)).orphan_turn).toBeNull()
  await b.tasks.recovered
  expect(await a.tasks.get(id)).toMatchObject({ status: 'interrupted', turnCount: 1 })
  await a.tasks.send(id, { input: 'last', mode: 'queue' }, ALICE)
  await taskThat(a.tasks, id, ({ status, turnCount }) => status === 'completed' && turnCount === 2)
  expect(model.requests.map(lastUserText)).toEqual(['first', 'last'])
})

it('at the door of a worker that has just come back, of a task that it could not take back before', async () => {
  const { a, b, worker, rowOf, start } = await openStage()
  const { id } = await start('held')
  await taskThat(a.tasks, id, ({ turnId }) => turnId !== null)
  await b.close()
  const { boot } = await a.db
    .selectFrom('workers')
    .select('boot')
    .where('id', '=', 'a')
    .executeTakeFirstOrThrow()
  const hold = (lease_boot: string | null) =>
    a.db.updateTable('tasks').set({ lease_boot }).where('id', '=', id).execute()
  await hold(boot)
  const back = await worker('b', { fleet: { leaseMs: 30_000 } })
  await hold(null)
  expect(await back.tasks.interrupt(id, BOB)).toMatchObject({ status: 'interrupted', turnCount: 1 })
  expect(await rowOf(id)).toMatchObject({ turn_id: null, orphan_turn: null })
})

it('of a task that another door acted on when its worker came back: the turn is ended all the same', async () => {
  const { a, lose, mend, rowOf, isBack, start } = await openStage()
  const { id } = await start('held')
  await taskThat(a.tasks, id, ({ turnId }) => turnId !== null)
  await lose(id)
  await a.tasks.interrupt(id, BOB)
  const { boot } = await a.db
    .selectFrom('workers')
    .select('boot')
    .where('id', '=', 'a')
    .executeTakeFirstOrThrow()
  const hold = (lease_boot: string | null) =>
    a.db.updateTable('tasks').set({ lease_boot }).where('id', '=', id).execute()
  await hold(boot)
  mend()
  await isBack()
  expect((await rowOf(id)).orphan_turn).not.toBeNull()
  await hold(null)
  const incident = await eventThat(a.tasks, id, ({ method }) => method === 'drawbridge/incident')
  expect(paramsOf(incident)).toMatchObject({ type: 'orphan-turn-ended' })
  await expect.poll(async () => (await rowOf(id)).orphan_turn).toBeNull()
})
