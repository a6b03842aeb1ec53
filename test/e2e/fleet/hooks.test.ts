// Hooks where several workers share the tasks: the one that has a task runs its own hooks, whoever asks for the task.
import { expect, it } from 'vitest'
import type { HookEvent, TaskHook } from '../../../src/tasks/index.ts'
import { message } from '../../../src/testing/index.ts'
import { openFleet } from '../../support/open-fleet.ts'
import { ALICE } from '../../support/open-tasks.ts'
import { eventThat, taskThat } from '../../support/task-facts.ts'

it('the owner runs them, an interrupt at another door ends them, and a worker that comes back goes on', async () => {
  const fleet = await openFleet(() => message('done'))
  const ran: string[] = []
  const isIn = (signal: AbortSignal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
  const hooks = (worker: string, slow: string[]): { hooks: TaskHook[] } => ({
    hooks: (['before', 'after'] as HookEvent[]).map((on) => ({
      ...{ name: `${on}-hook`, on, repeatable: true },
      run: async ({ task }, { signal }) => {
        ran.push(`${worker} ${on} ${task.title}`)
        if (slow.includes(`${on} ${task.title}`)) await isIn(signal)
      },
    })),
  })
  const a = await fleet.worker('a', { hooks: hooks('a', []) })
  const b = await fleet.worker('b', { hooks: hooks('b', ['before stuck', 'after late']) })

  const { id } = await a.tasks.start(fleet.request('plain', { on: 'b' }), ALICE)
  expect(await a.tasks.wait(id, { timeoutMs: 30_000 })).toMatchObject({ status: 'completed' })
  await eventThat(a.tasks, id, ({ frame }) => /"hook":"after-hook".*"status":"done"/.test(frame))
  expect(ran).toEqual(['b before plain', 'b after plain'])

  const stuck = await a.tasks.start(fleet.request('stuck', { on: 'b' }), ALICE)
  await taskThat(a.tasks, stuck.id, ({ reason }) => reason === 'hook-running: before-hook')
  expect(await a.tasks.interrupt(stuck.id, ALICE)).toMatchObject({ status: 'interrupted', turnCount: 0 })

  // b is stopped while a hook runs: a does not run it, and b does when it is back.
  const late = await a.tasks.start(fleet.request('late', { on: 'b' }), ALICE)
  await eventThat(a.tasks, late.id, ({ frame }) => /"hook":"after-hook".*"status":"started"/.test(frame))
  await b.close()
  await fleet.worker('b', { hooks: hooks('b again', []) })
  await eventThat(a.tasks, late.id, ({ frame }) => /"hook":"after-hook".*"status":"done"/.test(frame))
  expect(ran.filter((line) => line.includes('after late'))).toEqual(['b after late', 'b again after late'])
  expect(ran.filter((line) => line.startsWith('a '))).toEqual([])
}, 60_000)
