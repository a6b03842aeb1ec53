// A worker on a machine that cannot run codex at all.
import { expect, it } from 'vitest'
import { message } from '../../../src/testing/index.ts'
import { openFleet } from '../../support/open-fleet.ts'
import { ALICE } from '../../support/open-tasks.ts'

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
