// Those who watch and wait while the service is killed and comes back, on another port.
import { expect, it } from 'vitest'
import { connect, readToken } from '../../../src/api/index.ts'
import { message, shell, slow, toolOutputs } from '../../../src/testing/index.ts'
import { serviceStage } from '../../support/service-stage.ts'

const BROKE = '… the connection to the service broke; trying again\n'

it('task wait, task logs -f and --wait see the end of a task over a restart on another port', async () => {
  const { cli, model, start, record, json, dataDir } = await serviceStage(() => [
    slow(6_000),
    message('All the same.'),
  ])
  const { id } = await start('work')
  await model.waitForRequests(1, { timeoutMs: 20_000 })
  const watching = [
    ['task', 'wait', id],
    ['task', 'logs', '-f', id],
  ].map((args) => cli(args))
  const before = record()
  await openStreams(before.url, dataDir, 2)
  process.kill(before.pid, 'SIGKILL')
  await json('task', 'list')
  expect(record().url).not.toBe(before.url)
  const [waited, logged] = await Promise.all(watching)
  expect(waited).toMatchObject({ code: 0, stdout: 'All the same.\n' })
  expect(waited!.stderr).toBe(`${BROKE}completed: the turn is done\n`)
  expect(logged).toMatchObject({ code: 0, stderr: BROKE })
  expect(logged!.stdout).toContain('All the same.')
})

it('approvals -w asks what came up while the service was away', async () => {
  const { inTerminal, start, record, json, dataDir } = await serviceStage((request) =>
    toolOutputs(request).length === 0 ? shell('date', { escalate: 'to see' }) : message('done'),
  )
  await json('task', 'list')
  const before = record()
  const watch = inTerminal(['approvals', '-w'])
  await watch.shows('Questions are asked here as they come.')
  await openStreams(before.url, dataDir, 1)
  process.kill(before.pid, 'SIGKILL')
  await watch.shows('The service is gone; questions are asked here again when it is back.')
  await start('work')
  expect(record().url).not.toBe(before.url)
  await watch.shows('$ date')
})

/** Waits until so many watch: streams and long polls count alike. */
async function openStreams(url: string, dataDir: string, count: number): Promise<void> {
  const client = connect({ url, token: readToken(dataDir)! })
  await expect
    .poll(() => client.metrics(), { timeout: 20_000 })
    .toContain(`drawbridge_streams_open ${count}\n`)
}
