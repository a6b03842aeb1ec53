// A worker that goes and comes back while others act on its tasks: nothing is left without an owner, nothing is forgotten.
import { describe, expect, it } from 'vitest'
import { type ModelRequest, message, type Reply, shell, toolOutputs } from '../../../src/testing/index.ts'
import { openFleet } from '../../support/open-fleet.ts'
import { ALICE } from '../../support/open-tasks.ts'
import { eventThat, questionOf, taskThat } from '../../support/task-facts.ts'

const BOB = { actor: 'test:bob' }

const asking = (request: ModelRequest): Reply =>
  toolOutputs(request).length > 0 ? message('done') : shell('touch made', { escalate: 'please' })

/** A task on `b` that asks something, and `b` stopped since. */
async function leftBehind() {
  const fleet = await openFleet(asking)
  const [a, b] = [await fleet.worker('a'), await fleet.worker('b')]
  const { id } = await a.tasks.start(fleet.request('go', { on: 'b' }), ALICE)
  const question = await questionOf(a.tasks, id)
  await b.close()
  return { ...fleet, a, id, question }
}

describe('a task whose worker is being restarted', () => {
  it('goes on, though another worker was acting on it when its own came back', async () => {
    const { a, id, question, worker } = await leftBehind()
    const { boot } = await a.db
      .selectFrom('workers')
      .select('boot')
      .where('id', '=', 'a')
      .executeTakeFirstOrThrow()
    const lease = (lease_boot: string | null) =>
      a.db.updateTable('tasks').set({ lease_boot }).where('id', '=', id).execute()
    await lease(boot)
    await worker('b', { fleet: { leaseMs: 3_000 } })
    await lease(null)
    await a.tasks.decide(question.id, { answer: 'once' }, ALICE)
    expect(await a.tasks.wait(id, { timeoutMs: 30_000 })).toMatchObject({
      status: 'completed',
      worker: { id: 'b' },
    })
  })

  it('can be interrupted meanwhile; the turn ends when the worker is back', async () => {
    const { a, id, worker } = await leftBehind()
    expect(await a.tasks.interrupt(id, BOB)).toMatchObject({
      status: 'interrupted',
      reason: expect.stringContaining('test:bob'),
    })
    const b = await worker('b')
    await eventThat(
      b.tasks,
      id,
      ({ method, frame }) => method === 'drawbridge/incident' && frame.includes('orphan-turn-ended'),
    )
    expect(await b.tasks.get(id)).toMatchObject({ status: 'interrupted', turnId: null })
  })
})

describe('a worker that was declared lost', () => {
  it('joins again without ending an app-server that drains: the turn in it goes on', async () => {
    const fleet = await openFleet(asking)
    let aheadMs = 0
    const now = () => Date.now() + aheadMs
    const a = await fleet.worker('a', { fleet: { leaseMs: 1_500 }, pool: { now } })
    const { id } = await a.tasks.start(fleet.request('go'), ALICE)
    const question = await questionOf(a.tasks, id)
    const { appServerId } = await a.db
      .selectFrom('tasks')
      .select('app_server_id as appServerId')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const [server] = await a.pool.adopt()
    expect(server?.id).toBe(appServerId)
    server!.drain('the test wants it')
    // One that was handed out a moment ago is not ended.
    aheadMs = 60_000
    await a.db.updateTable('tasks').set({ lease_boot: null }).execute()
    await a.db.updateTable('workers').set({ state: 'lost' }).execute()
    await taskThat(a.tasks, id, () => a.incidents.some(({ type }) => type === 'worker-lost'))
    await a.tasks.decide(question.id, { answer: 'once' }, ALICE)
    expect(await a.tasks.wait(id, { timeoutMs: 30_000 })).toMatchObject({ status: 'completed' })
    // Nobody needs it any more.
    await server!.ended
  })
})
