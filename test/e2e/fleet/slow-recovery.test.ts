// A worker that comes back while one of its app-servers does not answer: only the tasks in that one wait.
import { expect, it, onTestFinished } from 'vitest'
import { lastUserText, type ModelRequest, makeCodexHome, message } from '../../../src/testing/index.ts'
import { LEASE, makeGate } from '../../support/fleet-facts.ts'
import { openFleet } from '../../support/open-fleet.ts'
import { ALICE } from '../../support/open-tasks.ts'
import { taskThat } from '../../support/task-facts.ts'

const BOB = { actor: 'test:bob' }

/** `b` has a task at work in one codex home and one that rests in another. */
async function openStage() {
  const gate = makeGate()
  const fleet = await openFleet(
    async (call: ModelRequest) => {
      if (lastUserText(call) === 'stuck') await gate.opened
      return message(`told ${lastUserText(call)}`)
    },
    { fleet: LEASE },
  )
  const other = await makeCodexHome(fleet.model)
  onTestFinished(() => other.remove())
  const elsewhere = (prompt: string) => fleet.request(prompt, { on: 'b', codexHome: other.path })
  const a = await fleet.worker('a')
  const b = await fleet.worker('b')
  const done = await a.tasks.start(elsewhere('before'), ALICE)
  await taskThat(a.tasks, done.id, ({ status }) => status === 'completed')
  const stuck = await a.tasks.start(fleet.request('stuck', { on: 'b' }), ALICE)
  await taskThat(a.tasks, stuck.id, ({ turnId }) => turnId !== null)
  await expect.poll(() => fleet.model.requests.length).toBe(2)
  const row = await a.db.selectFrom('tasks').selectAll().where('id', '=', stuck.id).executeTakeFirstOrThrow()
  const { pid } = b.pool.list().find(({ id }) => id === row.app_server_id)!
  return { ...fleet, a, b, gate, elsewhere, stuck: stuck.id, rested: done.id, pid: pid! }
}

it('takes tasks and commands at once; a command to a task that is looked for waits for that one alone', async () => {
  const { a, b, gate, elsewhere, stuck, rested, pid } = await openStage()
  process.kill(pid, 'SIGSTOP')
  onTestFinished(() => void process.kill(pid, 'SIGCONT'))
  // Another worker has declared it lost.
  await a.db.updateTable('workers').set({ state: 'lost' }).where('id', '=', 'b').execute()
  await expect.poll(() => b.incidents.map(({ type }) => type)).toContain('worker-lost')

  const claimed = await a.tasks.start(elsewhere('claimed'), ALICE)
  await taskThat(a.tasks, claimed.id, ({ status }) => status === 'completed')
  expect(await a.tasks.change(rested, { title: 'renamed' }, ALICE)).toMatchObject({ title: 'renamed' })
  await a.tasks.send(rested, { input: 'next', mode: 'queue' }, ALICE)
  await taskThat(a.tasks, rested, ({ turnCount, status }) => turnCount === 2 && status === 'completed')
  // Its own door, too.
  expect(await b.tasks.change(rested, { title: 'again' }, ALICE)).toMatchObject({ title: 'again' })

  const interrupted = a.tasks.interrupt(stuck, BOB)
  const states = () => a.db.selectFrom('commands').select('state').where('task_id', '=', stuck).execute()
  await expect.poll(states).toEqual([{ state: 'taken' }])
  expect(await a.tasks.get(stuck)).toMatchObject({ status: 'working' })
  process.kill(pid, 'SIGCONT')
  expect(await interrupted).toMatchObject({ status: 'interrupted', turnCount: 1 })
  gate.open()
  await b.tasks.recovered
})
