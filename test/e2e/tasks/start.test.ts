import { describe, expect, it } from 'vitest'
import type { StartTask } from '../../../src/tasks/index.ts'
import { hang, lastUserText, message } from '../../../src/testing/index.ts'
import { ALICE, allEvents, openTasks } from '../../support/open-tasks.ts'
import { paramsOf, runTask, taskThat } from '../../support/task-facts.ts'

describe('starting a task', () => {
  it('gives it a title and the cautious defaults, which codex confirms', async () => {
    const { tasks, request } = await openTasks(() => message('ok'))
    const started = await tasks.start(request(`  Fix the build\nand tell me why  `), ALICE)
    expect(started).toMatchObject({
      title: 'Fix the build',
      status: 'queued',
      preset: 'ask-all',
      policy: { sandbox: 'read-only', approvalPolicy: 'on-request' },
      rules: [],
      labels: [],
      keepOpen: false,
      effectivePolicy: null,
      threadId: null,
      archivedAt: null,
    })
    const ended = await tasks.wait(started.id, { timeoutMs: 20_000 })
    expect(ended).toMatchObject({
      status: 'completed',
      reason: 'the turn is done',
      evidence: { turnId: expect.any(String), codexSaid: 'completed' },
      effectivePolicy: { approvalPolicy: 'on-request', sandbox: { type: 'readOnly' }, model: 'scripted' },
      threadId: expect.any(String),
      usage: { totalTokens: expect.any(Number) },
      startedAt: expect.any(Number),
      endedAt: expect.any(Number),
      queuedMessages: 0,
    })
  })

  it('tells every status it had, in order, in its log', async () => {
    const { tasks, request } = await openTasks(() => message('ok'))
    const { id } = await runTask(tasks, request('go'))
    const own = (await allEvents(tasks, id)).filter(({ method }) => method === 'drawbridge/task')
    expect(own.map((event) => paramsOf(event).status)).toEqual(['queued', 'starting', 'working', 'completed'])
  })

  it('takes a title, labels, and a policy of its own', async () => {
    const { tasks, request } = await openTasks(() => message('ok'))
    const task = await runTask(
      tasks,
      request('go', {
        title: 'Mine',
        labels: ['b', 'a', 'b'],
        policy: { sandbox: 'workspace-write', approvalPolicy: 'untrusted', effort: 'high' },
      }),
    )
    expect(task).toMatchObject({
      title: 'Mine',
      labels: ['a', 'b'],
      effectivePolicy: { approvalPolicy: 'untrusted', sandbox: { type: 'workspaceWrite' }, effort: 'high' },
    })
  })

  it.each<[string, Partial<StartTask>]>([
    ['a folder that is not there', { cwd: '/nowhere/at/all' }],
    ['a file for a folder', { cwd: '/etc/hostname' }],
    ['a rule that cannot be read', { rules: ['allow everything, please'] }],
    ['a preset nobody knows', { preset: 'yolo' as never }],
    ['a target nobody knows', { notify: ['pigeon:coop'] }],
    ['an empty prompt', { prompt: '  \n ' }],
    ['too many labels', { labels: Array.from({ length: 51 }, (_, index) => `l${index}`) }],
  ])('refuses %s, and leaves nothing behind', async (_, more) => {
    const { tasks, request } = await openTasks(() => message('ok'))
    await expect(tasks.start(request('go', more), ALICE)).rejects.toMatchObject({ code: 'bad-request' })
    expect((await tasks.list({ archived: true })).items).toEqual([])
  })

  it('does it once for one idempotency key, and refuses another request under it', async () => {
    const { tasks, request, model } = await openTasks(() => message('ok'))
    const asked = request('go', { idempotencyKey: 'key-1', labels: ['x'] })
    const [first, second] = await Promise.all([tasks.start(asked, ALICE), tasks.start({ ...asked }, ALICE)])
    expect(second.id).toBe(first.id)
    await tasks.wait(first.id, { timeoutMs: 20_000 })
    expect((await tasks.start(asked, ALICE)).id).toBe(first.id)
    await expect(
      tasks.start(request('go elsewhere', { idempotencyKey: 'key-1' }), ALICE),
    ).rejects.toMatchObject({ code: 'idempotency-mismatch', details: { taskId: first.id } })
    expect((await tasks.list({})).items).toHaveLength(1)
    expect(model.requests).toHaveLength(1)
  })

  it('keeps secrets of the prompt and the title to codex alone', async () => {
    const secret = 'sk-proj-Zx81kQ0vN5tYpLw3mB7rDfGhJ2cVbXs94TuEaRiO'
    const { tasks, request, model } = await openTasks(() => message('ok'))
    const titled = await runTask(tasks, request(`use ${secret}`, { title: `with ${secret}` }))
    expect(lastUserText(model.requests[0]!)).toBe(`use ${secret}`)
    expect(JSON.stringify(titled)).not.toContain(secret)
    expect(JSON.stringify(await allEvents(tasks, titled.id))).not.toContain(secret)
  })

  it('gives the answer as the output schema wants it', async () => {
    const outputSchema = {
      type: 'object',
      properties: { sum: { type: 'number' } },
      required: ['sum'],
      additionalProperties: false,
    }
    const { tasks, request, model } = await openTasks(() => message('{"sum":4}'))
    const task = await runTask(tasks, request('add', { outputSchema }))
    expect(task.result).toMatchObject({ text: '{"sum":4}', output: { sum: 4 } })
    expect(model.requests[0]!.body.text).toMatchObject({ format: { schema: outputSchema } })
  })

  it('gives a value for a later message that asks for one', async () => {
    const { tasks, request } = await openTasks((call) =>
      message(lastUserText(call) === 'as JSON' ? '{"sum":3}' : 'three'),
    )
    const { id, result } = await runTask(tasks, request('add'))
    expect(result).toMatchObject({ text: 'three', output: null })
    const outputSchema = {
      type: 'object',
      properties: { sum: { type: 'number' } },
      required: ['sum'],
      additionalProperties: false,
    }
    await tasks.send(id, { input: 'as JSON', mode: 'queue', overrides: { outputSchema } }, ALICE)
    const task = await taskThat(
      tasks,
      id,
      ({ status, turnCount }) => status === 'completed' && turnCount === 2,
    )
    expect(task.result).toMatchObject({ text: '{"sum":3}', output: { sum: 3 } })
  })

  it('ends a turn that takes too long, and says so', async () => {
    const { tasks, request } = await openTasks(() => [message('half'), hang()])
    const task = await runTask(tasks, request('go', { timeoutMs: 700 }))
    expect(task).toMatchObject({
      status: 'timed-out',
      turnId: null,
      reason: 'the turn took longer than 700 ms',
      evidence: { timeoutMs: 700 },
    })
  })
})
