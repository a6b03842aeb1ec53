// Workers behind a real PgBouncer in transaction mode: nothing that is told arrives, and polling finds everything.
import { expect, it } from 'vitest'
import { type ModelRequest, message, shell, toolOutputs } from '../../../src/testing/index.ts'
import { countsOf, expectFollowed, follow, LEASE } from '../../support/fleet-facts.ts'
import { openFleet } from '../../support/open-fleet.ts'
import { ALICE } from '../../support/open-tasks.ts'
import { throughPgBouncer } from '../../support/pgbouncer.ts'
import { freshDatabase } from '../../support/postgres/fresh-database.ts'
import { serveWorker } from '../../support/serve-worker.ts'
import { questionOf, taskThat } from '../../support/task-facts.ts'

const asking = (call: ModelRequest) =>
  toolOutputs(call).length > 0 ? message('done') : shell('echo ran', { escalate: 'please' })

it('a task of one worker is claimed, followed, answered and interrupted at another', async () => {
  const url = await freshDatabase('migrated')
  const fleet = await openFleet(asking, { url, fleet: LEASE })
  const direct = await fleet.worker('direct')
  const bouncer = await throughPgBouncer(url)
  const [a, b] = [await fleet.worker('a', { url: bouncer }), await fleet.worker('b', { url: bouncer })]
  const { id } = await a.tasks.start(fleet.request('go', { on: 'b' }), ALICE)
  const followed = follow(a.tasks, id)
  await a.tasks.decide((await questionOf(a.tasks, id)).id, { answer: 'once' }, ALICE)
  expect(await taskThat(a.tasks, id, ({ status }) => status === 'completed')).toMatchObject({
    result: { text: 'done' },
    worker: { id: 'b' },
  })
  expect(await countsOf(a.tasks, id)).toMatchObject({ agentMessage: 1, commandExecution: 1 })
  await expectFollowed(a.tasks, id, await followed())
  const { id: other } = await b.tasks.start(fleet.request('again', { on: 'a' }), ALICE)
  await questionOf(b.tasks, other)
  expect(await b.tasks.interrupt(other, ALICE)).toMatchObject({ status: 'interrupted' })
  // A worker beside them, without it in between, has made the same proof by now.
  await expect.poll(() => direct.bus.isListening).toBe(true)
  expect([a.bus.isListening, b.bus.isListening]).toEqual([false, false])
  expect([a, b].flatMap(({ incidents }) => incidents.map(({ type }) => type))).toEqual(['question-withdrawn'])
})

it('a service makes its tables through it, and runs', async () => {
  const url = await throughPgBouncer(await freshDatabase())
  const fleet = await openFleet(() => message('done'))
  const service = await serveWorker('only', { url, ...LEASE })
  const { tasks } = service.client
  const { id } = await tasks.start({ prompt: 'go', cwd: fleet.cwd, codexHome: fleet.codexHome })
  expect(await tasks.wait(id, { timeoutMs: 30_000 })).toMatchObject({ status: 'completed' })
})
