// A worker on a machine that cannot run codex at all, or lacks what a task names.
import { cp, symlink } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { message } from '../../../src/testing/index.ts'
import { LEASE } from '../../support/fleet-facts.ts'
import { openFleet } from '../../support/open-fleet.ts'
import { ALICE } from '../../support/open-tasks.ts'
import { bundledCodex } from '../../support/raw-codex.ts'
import { taskThat } from '../../support/task-facts.ts'

/** As where codex is not installed. */
const WITHOUT_CODEX = { codexPath: '/there/is/no/codex' }

it('leaves what it took to one that can, and fails what only it may take', async () => {
  const { worker, request } = await openFleet(() => message('done'))
  const broken = await worker('broken', { appServers: WITHOUT_CODEX })
  // Alone it has to say what is wrong.
  const alone = await broken.tasks.start(request('go'), ALICE)
  expect(await broken.tasks.wait(alone.id, { timeoutMs: 30_000 })).toMatchObject({
    status: 'failed',
    reason: expect.stringContaining('/there/is/no/codex'),
  })
  const sound = await worker('sound')
  const pinned = await sound.tasks.start(request('go', { on: 'broken' }), ALICE)
  expect(await sound.tasks.wait(pinned.id, { timeoutMs: 30_000 })).toMatchObject({ status: 'failed' })
  const ids = []
  for (let count = 0; count < 3; count++) ids.push((await broken.tasks.start(request('go'), ALICE)).id)
  for (const id of ids)
    expect(await broken.tasks.wait(id, { timeoutMs: 30_000 })).toMatchObject({
      status: 'completed',
      worker: { id: 'sound' },
    })
})

it('is not given a task whose codex home, or whose codex, it does not have; the task says what it waits for', async () => {
  const { worker, request, cwd, codexHome } = await openFleet(() => message('done'), { fleet: LEASE })
  const [a] = [await worker('a'), await worker('b')]
  const [home, codex] = [path.join(cwd, 'home'), path.join(cwd, 'codex')]
  const homeless = await a.tasks.start(request('go', { codexHome: home }), ALICE)
  const codexless = await a.tasks.start(request('go', { codexPath: codex }), ALICE)
  await taskThat(
    a.tasks,
    homeless.id,
    ({ reason }) => reason === `it waits for a worker that has the codex home ${home}`,
  )
  await taskThat(
    a.tasks,
    codexless.id,
    ({ reason }) => reason === `it waits for a worker that has codex at ${codex}`,
  )
  // They keep nobody waiting.
  const other = await a.tasks.start(request('go'), ALICE)
  expect(await a.tasks.wait(other.id, { timeoutMs: 30_000 })).toMatchObject({ status: 'completed' })
  await cp(codexHome, home, { recursive: true })
  await symlink(path.resolve(bundledCodex()), codex)
  for (const { id } of [homeless, codexless])
    expect(await a.tasks.wait(id, { timeoutMs: 30_000 })).toMatchObject({ status: 'completed' })
})
