import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { httpError, message, type Reply } from '../../../src/testing/index.ts'
import { ALICE, allEvents, openTasks } from '../../support/open-tasks.ts'
import { paramsOf, runTask, taskThat } from '../../support/task-facts.ts'

describe('a task that cannot start', () => {
  it('fails with the reason when there is no codex', async () => {
    const { tasks, request } = await openTasks(() => message('ok'))
    const task = await runTask(tasks, request('go', { codexPath: '/nowhere/codex' }))
    expect(task).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('/nowhere/codex'),
      failure: { code: expect.any(String), hint: expect.any(String) },
      threadId: null,
      queuedMessages: 0,
    })
    const messages = (await allEvents(tasks, task.id)).filter(({ method }) => method === 'drawbridge/message')
    expect(messages.map((event) => paramsOf(event).status)).toEqual(['queued', 'failed'])
  })

  it('fails with what codex wrote to stderr when its home cannot be read', async () => {
    const { tasks, request, home } = await openTasks(() => message('ok'))
    await writeFile(path.join(home.path, 'config.toml'), 'model = = broken')
    const task = await runTask(tasks, request('go'))
    expect(task).toMatchObject({ status: 'failed', reason: expect.stringContaining('config.toml') })
    expect(JSON.stringify(task.evidence)).toContain('config.toml')
  })

  it('can be resumed with what it was started with, once the reason is gone', async () => {
    const { tasks, request, home, model } = await openTasks(() => message('at last'))
    const config = path.join(home.path, 'config.toml')
    const good = await readFile(config, 'utf8')
    await writeFile(config, 'model = = broken')
    const failed = await runTask(tasks, request('do the thing'))
    await writeFile(config, good)
    await tasks.resume(failed.id, {}, ALICE)
    const task = await taskThat(tasks, failed.id, ({ status }) => status === 'completed')
    expect(task.result).toMatchObject({ text: 'at last' })
    expect(JSON.stringify(model.requests[0]!.body.input)).toContain('do the thing')
  })

  it('goes on to the messages that wait, which fail for the same reason', async () => {
    const { tasks, request } = await openTasks(() => message('ok'))
    const { id } = await tasks.start(request('one', { codexPath: '/nowhere/codex' }), ALICE)
    const send = (input: string) => tasks.send(id, { input, mode: 'queue' }, ALICE)
    await Promise.all([send('two'), send('three'), send('four')])
    const task = await taskThat(
      tasks,
      id,
      ({ status, queuedMessages }) => status === 'failed' && queuedMessages === 0,
    )
    expect(task.reason).toContain('/nowhere/codex')
  })
})

describe('a model that fails', () => {
  it.each<[string, Reply, object]>([
    ['401', httpError(401, 'who?'), { failure: { code: 'auth', hint: expect.any(String) } }],
    ['500', httpError(500, 'oops'), { failure: { code: 'overloaded', retryable: true } }],
    ['404', httpError(404, 'nothing'), { failure: { code: 'model' } }],
  ])('%s makes the task fail with the reason, and it can be resumed', async (_, reply, expected) => {
    const { tasks, request } = await openTasks((_request, index) =>
      index === 0 ? reply : message('well again'),
    )
    const failed = await runTask(tasks, request('go'))
    expect(failed).toMatchObject({ status: 'failed', turnId: null, turnCount: 1, ...expected })
    const { hint } = failed.failure!
    expect(failed.reason).toContain(` ${hint[0]!.toUpperCase()}${hint.slice(1)}`)
    await tasks.resume(failed.id, { prompt: 'again' }, ALICE)
    const task = await taskThat(tasks, failed.id, ({ status }) => status === 'completed')
    expect(task).toMatchObject({
      result: { text: 'well again' },
      failure: null,
      turnCount: 2,
      threadId: failed.threadId,
    })
  })
})
