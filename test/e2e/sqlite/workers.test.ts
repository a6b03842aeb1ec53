// Workers on the command line, on a service that is the only one.
import { hostname } from 'node:os'
import { describe, expect, it } from 'vitest'
import type { Task, Worker } from '../../../src/api/index.ts'
import { message } from '../../../src/testing/index.ts'
import { serviceStage } from '../../support/service-stage.ts'

describe('workers', () => {
  it('are the one service, as a table or as the API has it', async () => {
    const { cli, json } = await serviceStage(() => message('ok'))
    expect(await json<Worker[]>('workers')).toMatchObject([
      { name: hostname(), state: 'up', working: 0, isThis: true },
    ])
    const { code, stdout } = await cli(['workers'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^NAME +MACHINE +STATE +WORKING +TASKS +HEARD +VERSION +LABELS\n/)
    expect(stdout).toContain(hostname())
    expect(stdout).toMatch(/ up +0\/\d+ +0 +0s ago /)
  })

  it('that do not exist are told as such, and the only one is not drained', async () => {
    const { cli, json } = await serviceStage(() => message('ok'))
    await json('workers')
    expect(await cli(['workers', 'drain', 'no-such-worker'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'drawbridge: there is no worker no-such-worker: `drawbridge workers` shows those there are\n',
    })
    const { code, stderr } = await cli(['workers', 'drain', hostname()])
    expect([code, stderr]).toEqual([1, 'drawbridge: the only service cannot be drained: stop it instead\n'])
  })

  it('are completed by name, where one is named', async () => {
    const { cli, json } = await serviceStage(() => message('ok'))
    await json('workers')
    for (const words of [
      ['workers', 'drain', ''],
      ['task', 'start', '--on', ''],
    ])
      expect((await cli(['__complete', '--', ...words])).stdout).toMatch(
        new RegExp(`^${hostname()}\tup, 0 of \\d+ working\n`),
      )
  })
})

describe('task start --on', () => {
  it('is kept with the task, which runs and has no worker of its own on SQLite', async () => {
    const { cli, json } = await serviceStage(() => message('ok'))
    const task = await json<Task>('task', 'start', '--on', hostname(), '--on-lost', 'fail', 'go')
    expect(task).toMatchObject({ on: hostname(), onLost: 'fail', worker: null })
    expect(await json<Task>('task', 'wait', task.id)).toMatchObject({ status: 'completed' })
    expect((await cli(['task', 'show', task.id])).stdout).toContain(`on       ${hostname()}\n`)
  })

  it('takes wait or fail for --on-lost, and nothing else', async () => {
    const { cli } = await serviceStage(() => message('ok'))
    const { code, stderr } = await cli(['task', 'start', '--on-lost', 'maybe', 'go'])
    expect(code).toBe(2)
    expect(stderr).toContain('Allowed choices are wait, fail')
  })
})
