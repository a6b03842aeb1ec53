// Whoever can write to the commands of workers, but cannot read them, tries to have one carried out again.
import { expect, it } from 'vitest'
import { insertCommand } from '../../../src/store/index.ts'
import { message } from '../../../src/testing/index.ts'
import { seal } from '../../../src/util/sealed-box.ts'
import { openFleet } from '../../support/open-fleet.ts'
import { ALICE, allEvents } from '../../support/open-tasks.ts'
import { taskThat } from '../../support/task-facts.ts'

it('a sealed command that was copied to another row is refused, and the one it was copied from is carried out once', async () => {
  const { worker, request } = await openFleet(() => message('done'))
  const [a, b] = [await worker('a'), await worker('b')]
  const { id: taskId } = await a.tasks.start(request('go', { on: 'b' }), ALICE)
  await taskThat(a.tasks, taskId, ({ status }) => status === 'completed')
  const owner = await a.db.selectFrom('workers').selectAll().where('id', '=', 'b').executeTakeFirstOrThrow()
  const command = { name: 'change', taskId, given: [{ title: 'renamed' }], actor: ALICE.actor }
  const sealed = seal(owner.public_key!, JSON.stringify({ id: 'sent', ...command }))
  const row = { worker_id: 'b', boot: owner.boot, sent_by: 'a', name: 'change', task_id: taskId, sealed }
  for (const id of ['sent', 'copied', 'copied-too'])
    await insertCommand(a.db, { ...row, id }, { validMs: 30_000 })
  const outcomes = async () => {
    const rows = await a.db.selectFrom('commands').selectAll().where('task_id', '=', taskId).execute()
    return Object.fromEntries(rows.map(({ id, state, outcome, sealed }) => [id, { state, outcome, sealed }]))
  }
  await expect
    .poll(async () => Object.values(await outcomes()).map(({ state }) => state))
    .toEqual(['done', 'done', 'done'])
  const refused = {
    state: 'done',
    outcome: expect.stringContaining('"error":{"isOfTask":false,"code":"internal"'),
    sealed: null,
  }
  expect(await outcomes()).toMatchObject({
    sent: { state: 'done', outcome: expect.stringContaining('"value"'), sealed: null },
    ...{ copied: refused, 'copied-too': refused },
  })
  expect(await a.tasks.get(taskId)).toMatchObject({ title: 'renamed' })
  const changes = (await allEvents(a.tasks, taskId)).filter(({ method }) => method === 'drawbridge/changed')
  expect(changes).toHaveLength(1)
  expect(b.incidents.map(({ message }) => message).sort()).toEqual([
    'Error: the command copied is not the one that was sent',
    'Error: the command copied-too is not the one that was sent',
  ])
})
