// Two services on one PostgreSQL, from the command line.
import { cp, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Task, Worker } from '../../../src/api/index.ts'
import { message } from '../../../src/testing/index.ts'
import { serviceStage } from '../../support/service-stage.ts'

/** A stage with `north`, and the command line of `south`, which has the label gpu. */
async function twoWorkers() {
  const stage = await serviceStage(() => message('ok'))
  const place = (name: string, labels: string) => ({
    DRAWBRIDGE_HOME: path.join(stage.codexHome, name),
    DRAWBRIDGE_WORKER_NAME: name,
    DRAWBRIDGE_WORKER_LABELS: labels,
  })
  const [north, south] = [place('north', ''), place('south', 'gpu')]
  onTestFinished(async () => {
    for (const env of [north, south]) await stage.cli(['stop', '--kill'], { env })
  })
  const at = (env: Record<string, string>) => ({
    cli: (...args: string[]) => stage.cli(args, { env }),
    cliAs: (more: Record<string, string>, ...args: string[]) => stage.cli(args, { env: { ...env, ...more } }),
    json: async <T>(...args: string[]): Promise<T> => {
      const { code, stdout, stderr } = await stage.cli([...args, '--json'], { env })
      expect({ code, stderr }).toMatchObject({ code: 0 })
      return JSON.parse(stdout) as T
    },
  })
  const workers = { north: at(north), south: at(south) }
  for (const { json } of Object.values(workers)) await json('workers')
  const folders = { north: north.DRAWBRIDGE_HOME, south: south.DRAWBRIDGE_HOME }
  return { ...workers, folders }
}

const states = (workers: readonly Worker[]) =>
  Object.fromEntries(workers.map(({ name, state }) => [name, state]))

describe('two workers', () => {
  it('are listed at both, with who is asked', async () => {
    const { north, south } = await twoWorkers()
    for (const [here, name] of [
      [north, 'north'],
      [south, 'south'],
    ] as const) {
      const workers = await here.json<Worker[]>('workers')
      expect(states(workers)).toEqual({ north: 'up', south: 'up' })
      expect(workers.filter(({ isThis }) => isThis).map((worker) => worker.name)).toEqual([name])
      expect(workers.find((worker) => worker.name === 'south')!.labels).toEqual(['gpu'])
    }
    expect((await north.cli('workers')).stdout).toMatch(/^south .* up .* gpu$/m)
  })

  it('run a task where it was asked to run, and say so in lists and on its page', async () => {
    const { north } = await twoWorkers()
    const { id } = await north.json<Task>('task', 'start', '--on', 'gpu', 'go')
    expect(await north.json<Task>('task', 'wait', id)).toMatchObject({
      status: 'completed',
      on: 'gpu',
      worker: { name: 'south' },
    })
    const list = await north.cli('task', 'list')
    expect(list.stdout).toMatch(/^ID +STATUS +UPDATED +LABELS +WORKER +TITLE\n/)
    expect(list.stdout).toMatch(/ completed .* south +go\n/)
    const { stdout } = await north.cli('task', 'show', id)
    expect(stdout).toMatch(/^ {2}worker {3}south\n {2}on {7}gpu$/m)
  })

  it('say that a task waits for a worker that is not there, and why', async () => {
    const { north } = await twoWorkers()
    const { code, stdout, stderr } = await north.cli('task', 'start', '--on', 'mars', 'go')
    expect(code).toBe(0)
    expect(stderr).toContain(
      'No worker has the name or label mars: the task waits until one does. There are: north, south, gpu\n',
    )
    const id = stdout.trim()
    await expect
      .poll(async () => (await north.cli('task', 'show', id)).stdout, { timeout: 30_000 })
      .toContain('it waits for a worker with the name or label mars')
    await north.json('task', 'interrupt', id)
  })

  it('are drained and undrained at each other', async () => {
    const { north, south } = await twoWorkers()
    expect(await north.cli('workers', 'drain', 'sou')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'south takes no new tasks. It has none.\n',
    })
    expect(states(await south.json<Worker[]>('workers'))).toEqual({ north: 'up', south: 'draining' })
    expect((await south.cli('workers', 'undrain', 'south')).stderr).toBe('south takes new tasks again.\n')
    await south.cli('stop')
    expect(states(await north.json<Worker[]>('workers'))).toEqual({ north: 'up', south: 'stopped' })
    expect(await north.cli('workers', 'drain', 'south')).toMatchObject({
      code: 1,
      stderr: 'drawbridge: the worker south is stopped\n',
    })
  })
})

it('a copy of the data folder of a running worker is refused, and says what to do', async () => {
  const { north, folders } = await twoWorkers()
  const copy = `${folders.north}-copy`
  await mkdir(copy, { mode: 0o700 })
  await cp(path.join(folders.north, 'worker-id'), path.join(copy, 'worker-id'))
  const serve = () => north.cliAs({ DRAWBRIDGE_HOME: copy }, 'serve', '--port', '0')
  const { code, stderr } = await serve()
  expect(code).toBe(1)
  expect(stderr).toContain('is a copy of that of a running service, the worker north on ')
  expect(stderr).toContain('delete the file worker-id in this data folder')
  expect(states(await north.json<Worker[]>('workers'))).toEqual({ north: 'up', south: 'up' })
})
