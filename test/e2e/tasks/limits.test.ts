// Usage limits: the task says until when, goes on by itself, and holds the others of its account meanwhile.
import { describe, expect, it } from 'vitest'
import { httpError, lastUserText, message } from '../../../src/testing/index.ts'
import { ALICE, allEvents, openTasks } from '../../support/open-tasks.ts'
import { paramsOf, taskThat } from '../../support/task-facts.ts'

function usageLimit(resetsInSeconds: number) {
  const resetsAt = Math.ceil(Date.now() / 1_000) + resetsInSeconds
  const error = { type: 'usage_limit_reached', message: 'limit', resets_at: resetsAt }
  return httpError(
    429,
    { error },
    {
      'x-codex-primary-used-percent': '100',
      'x-codex-primary-window-minutes': '300',
      'x-codex-primary-reset-at': String(resetsAt),
    },
  )
}

describe('a usage limit', () => {
  it('makes the task limited until it ends, and then it goes on by itself', async () => {
    const { tasks, request, model } = await openTasks((_call, index) =>
      index === 0 ? usageLimit(2) : message('done after all'),
    )
    const { id } = await tasks.start(request('go'), ALICE)
    const limited = await tasks.wait(id, { timeoutMs: 20_000 })
    expect(limited).toMatchObject({
      status: 'limited',
      limitedUntil: expect.any(Number),
      failure: { code: 'usage-limit' },
      turnId: null,
    })
    expect(limited.reason).toMatch(/It resumes by itself at \d{4}-\d\d-\d\d \d\d:\d\d UTC$/)
    const task = await taskThat(tasks, id, ({ status }) => status === 'completed')
    expect(task).toMatchObject({
      result: { text: 'done after all' },
      failure: null,
      limitedUntil: null,
      threadId: limited.threadId,
    })
    expect(model.requests[1]!.receivedAt).toBeGreaterThanOrEqual(limited.limitedUntil!)
    expect(lastUserText(model.requests[1]!)).toBe('Continue.')
  })

  it('holds the other tasks of the account in the queue, and nobody else', async () => {
    const { tasks, request, model, home } = await openTasks((call, index) =>
      index === 0 ? usageLimit(3) : message(`did ${lastUserText(call)}`),
    )
    const first = await tasks.start(request('first'), ALICE)
    const { limitedUntil } = await tasks.wait(first.id, { timeoutMs: 20_000 })
    const sibling = await tasks.start(request('sibling'), ALICE)
    const stranger = await tasks.start(
      request('stranger', { codexHome: undefined, codexPath: '/nowhere/codex' }),
      ALICE,
    )
    expect(await tasks.wait(stranger.id, { timeoutMs: 20_000 })).toMatchObject({ status: 'failed' })
    expect(await taskThat(tasks, sibling.id, ({ evidence }) => 'heldUntil' in evidence)).toMatchObject({
      status: 'queued',
      reason: expect.stringMatching(/^the account has hit its limit: it waits until .* UTC$/),
      evidence: { heldUntil: limitedUntil },
      codexHome: home.path,
      queuePosition: 1,
    })
    expect(model.requests).toHaveLength(1)
    expect(await tasks.wait(sibling.id, { timeoutMs: 20_000 })).toMatchObject({
      status: 'completed',
      result: { text: 'did sibling' },
    })
    await taskThat(tasks, first.id, ({ status }) => status === 'completed')
    for (const { receivedAt } of model.requests.slice(1))
      expect(receivedAt).toBeGreaterThanOrEqual(limitedUntil!)
  })

  it('is lifted for all of the account by whoever resumes a task', async () => {
    const { tasks, request } = await openTasks((call, index) =>
      index === 0 ? usageLimit(3_600) : message(`did ${lastUserText(call)}`),
    )
    const first = await tasks.start(request('first'), ALICE)
    await tasks.wait(first.id, { timeoutMs: 20_000 })
    const sibling = await tasks.start(request('sibling'), ALICE)
    await taskThat(tasks, sibling.id, ({ evidence }) => 'heldUntil' in evidence)
    await tasks.resume(first.id, {}, ALICE)
    expect(await tasks.wait(sibling.id, { timeoutMs: 20_000 })).toMatchObject({
      status: 'completed',
      result: { text: 'did sibling' },
    })
    expect(await tasks.wait(first.id, { timeoutMs: 20_000 })).toMatchObject({ status: 'completed' })
  })

  it('that comes back every time makes it fail in the end', async () => {
    const { tasks, request, model } = await openTasks(() => usageLimit(1))
    const { id } = await tasks.start(request('go'), ALICE)
    const task = await taskThat(tasks, id, ({ status }) => status === 'failed')
    expect(task.reason).toContain('6 times in a row')
    expect(model.requests).toHaveLength(6)
    const own = (await allEvents(tasks, id)).filter(({ method }) => method === 'drawbridge/task')
    expect(own.map((event) => paramsOf(event).status).filter((status) => status === 'limited')).toHaveLength(
      5,
    )
  })

  it('ends the waiting of a task that is interrupted', async () => {
    const { tasks, request } = await openTasks(() => usageLimit(3_600))
    const { id } = await tasks.start(request('go'), ALICE)
    await tasks.wait(id, { timeoutMs: 20_000 })
    expect(await tasks.interrupt(id, ALICE)).toMatchObject({ status: 'interrupted', limitedUntil: null })
  })

  it('does not lose what is sent meanwhile: it waits, in the queue, with the task', async () => {
    const { tasks, request, model } = await openTasks((call, index) =>
      index === 0 ? usageLimit(2) : message(`did ${lastUserText(call)}`),
    )
    const { id } = await tasks.start(request('go'), ALICE)
    const { limitedUntil } = await tasks.wait(id, { timeoutMs: 20_000 })
    await tasks.send(id, { input: 'and this', mode: 'queue' }, ALICE)
    expect(await tasks.get(id)).toMatchObject({ status: 'queued', queuedMessages: 1 })
    const task = await taskThat(tasks, id, ({ status }) => status === 'completed')
    expect(task.result).toMatchObject({ text: 'did and this' })
    expect(model.requests).toHaveLength(2)
    expect(model.requests[1]!.receivedAt).toBeGreaterThanOrEqual(limitedUntil!)
  })

  it('survives a restart of the service', async () => {
    const { tasks, request, close, open } = await openTasks((_call, index) =>
      index === 0 ? usageLimit(4) : message('done after all'),
    )
    const { id } = await tasks.start(request('go'), ALICE)
    const { limitedUntil } = await tasks.wait(id, { timeoutMs: 20_000 })
    await close()
    const again = await open()
    expect(await again.tasks.get(id)).toMatchObject({ status: 'limited', limitedUntil })
    await taskThat(again.tasks, id, ({ status }) => status === 'completed')
  })
})
