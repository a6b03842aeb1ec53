// Tasks of a named token, and tasks below tasks, where another worker runs them.
import { expect, it } from 'vitest'
import type { Grant } from '../../../src/tasks/index.ts'
import { hang, lastUserText, message } from '../../../src/testing/index.ts'
import { openFleet } from '../../support/open-fleet.ts'
import { ALICE } from '../../support/open-tasks.ts'
import { taskThat } from '../../support/task-facts.ts'

const grant = (folders: string[] | null): Grant => ({
  tokenId: 'ci-id',
  name: 'ci',
  tasks: 'own',
  may: ['read', 'start'],
  ceiling: { sandbox: 'read-only', preset: 'ask-all', network: false, folders },
})
const CI = { tokenId: 'ci-id', name: 'ci' }

async function open() {
  const fleet = await openFleet((call) =>
    lastUserText(call).includes('hang') ? [message('half'), hang()] : message('done'),
  )
  return { ...fleet, a: await fleet.worker('a'), b: await fleet.worker('b') }
}

it('a fork that another worker makes belongs to the token that asked for it', async () => {
  const { a, request } = await open()
  const caller = { actor: 'token:ci', grant: grant(null) }
  const { id } = await a.tasks.start(request('go', { on: 'b', keepOpen: true }), ALICE)
  await taskThat(a.tasks, id, ({ status }) => status === 'idle')
  expect(await a.tasks.fork(id, {}, caller)).toMatchObject({ createdBy: CI, forkedFrom: id, parent: null })
  expect(await a.tasks.fork(id, {}, ALICE)).toMatchObject({ createdBy: null })
})

it('the worker that runs a task looks at its folder, whatever door it came through', async () => {
  const { a, request } = await open()
  const start = (folders: string[]) =>
    a.tasks.start(request('go', { on: 'b' }), { actor: 'token:ci', grant: grant(folders) })
  const inside = await start([request('go').cwd])
  expect(inside.createdBy).toEqual(CI)
  await taskThat(a.tasks, inside.id, ({ status }) => status === 'completed')
  // As when the folder is a link there, or has become one.
  const outside = await start(['/nowhere'])
  expect(await taskThat(a.tasks, outside.id, ({ endedAt }) => endedAt !== null)).toMatchObject({
    status: 'failed',
    worker: { id: 'b' },
    failure: { message: expect.stringContaining('is not in the folders of the token ci any more') },
    turnCount: 0,
  })
})

it('tasks on two workers are interrupted together', async () => {
  const { a, b, request } = await open()
  const top = await a.tasks.start(request('hang', { on: 'b' }), ALICE)
  const { threadId } = await taskThat(a.tasks, top.id, ({ status }) => status === 'working')
  const below = request('hang', { on: 'a', parent: { threadId: threadId! } })
  const child = await a.tasks.start(below, ALICE)
  expect(child).toMatchObject({ parent: top.id, depth: 1 })
  await taskThat(a.tasks, child.id, ({ status }) => status === 'working')
  expect(await b.tasks.interrupt(top.id, ALICE, { children: true })).toMatchObject({ status: 'interrupted' })
  expect(await a.tasks.get(child.id)).toMatchObject({ status: 'interrupted' })
})
