// What a service says on stderr while its database is away.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { message } from '../../../src/testing/index.ts'
import { LEASE } from '../../support/fleet-facts.ts'
import { openFleet } from '../../support/open-fleet.ts'
import { ALICE } from '../../support/open-tasks.ts'
import { serveWorker } from '../../support/serve-worker.ts'
import { taskThat } from '../../support/task-facts.ts'
import { tcpProxy } from '../../support/tcp-proxy.ts'

it('is said once when that begins and once when it is over', async () => {
  const fleet = await openFleet(() => message('done'), { fleet: LEASE })
  const network = await tcpProxy(Number(new URL(fleet.url).port))
  const a = await fleet.worker('a')
  const b = await serveWorker('b', { url: network.through(fleet.url), ...LEASE })
  const lines = () => readFileSync(b.toldIn, 'utf8').split('\n').filter(Boolean)
  // The last it says at its start.
  await expect.poll(() => lines().at(-1)).toContain('For the real thing log in')
  const before = lines().length
  const told = () => lines().slice(before)
  network.refuse(true)
  network.cut()
  // By then it has looked several times in vain.
  await expect.poll(async () => (await a.tasks.workers()).map(({ state }) => state)).toEqual(['up', 'lost'])
  network.refuse(false)
  const { id } = await a.tasks.start(fleet.request('go', { on: 'b' }), ALICE)
  await taskThat(a.tasks, id, ({ status }) => status === 'completed')
  await expect.poll(() => told().filter((line) => line.includes('is back after'))).toHaveLength(1)
  // The last two come at the same time.
  const [begun, ...others] = told()
  expect(begun).toMatch(/^The database is away \(.+\)\. Turns go on; nothing is stored until it is back/)
  expect(others.sort()).toEqual([
    expect.stringMatching(/^The database is back after \d+s\.$/),
    expect.stringMatching(/^worker-lost: other workers had not heard of this one/),
  ])
})
