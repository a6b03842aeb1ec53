import { describe, expect, it } from 'vitest'
import { hang, lastUserText, type ModelRequest, message, shell, slow } from '../../../src/testing/index.ts'
import { ALICE, allEvents, openTasks } from '../../support/open-tasks.ts'
import { eventThat, isStreaming, paramsOf, runTask, taskThat } from '../../support/task-facts.ts'

/** `never ends` streams a little and falls silent; everything else is echoed. */
function echo(request: ModelRequest) {
  const text = lastUserText(request)
  return text === 'never ends' ? [message('half'), hang()] : message(`echo ${text}`)
}

async function busyTask(script: Parameters<typeof openTasks>[0] = echo) {
  const opened = await openTasks(script)
  const { id } = await opened.tasks.start(opened.request('never ends'), ALICE)
  await eventThat(opened.tasks, id, isStreaming)
  return { ...opened, id }
}

const queue = (input: string) => ({ input, mode: 'queue' }) as const
const steer = (input: string) => ({ input, mode: 'steer' }) as const

describe('a queued message', () => {
  it('of a task at work is the next turn, in the order they came', async () => {
    const { tasks, id, model } = await busyTask()
    for (const text of ['a', 'b', 'c'])
      expect(await tasks.send(id, queue(text), ALICE)).toMatchObject({ status: 'queued', turnId: null })
    expect(await tasks.get(id)).toMatchObject({ status: 'working', queuedMessages: 3 })
    expect((await tasks.show(id)).messages.map(({ text }) => text)).toEqual(['a', 'b', 'c'])
    await tasks.interrupt(id, ALICE)
    const task = await taskThat(tasks, id, ({ status }) => status === 'completed')
    expect(task).toMatchObject({ turnCount: 4, result: { text: 'echo c' }, queuedMessages: 0 })
    expect(model.requests.map(lastUserText)).toEqual(['never ends', 'a', 'b', 'c'])
    const turns = (await allEvents(tasks, id)).filter(({ method }) => method === 'turn/started')
    expect(new Set(turns.map((event) => paramsOf(event).turn.id)).size).toBe(4)
  })

  it('of a task that has ended goes on with the same thread', async () => {
    const { tasks, request, model } = await openTasks(echo)
    const first = await runTask(tasks, request('one'))
    const sent = await tasks.send(first.id, queue('two'), ALICE)
    const task = await taskThat(
      tasks,
      first.id,
      ({ status, turnCount }) => status === 'completed' && turnCount === 2,
    )
    expect(task).toMatchObject({ threadId: first.threadId, result: { text: 'echo two' } })
    expect(JSON.stringify(model.requests[1]!.body.input)).toContain('echo one')
    const delivered = (await allEvents(tasks, task.id)).filter(
      ({ method, frame }) => method === 'drawbridge/message' && frame.includes(sent.id),
    )
    expect(delivered.map((event) => paramsOf(event))).toMatchObject([
      { status: 'queued', actor: 'test:alice' },
      { status: 'delivered', turnId: task.result!.turnId },
    ])
  })

  it('goes to a task that is kept open, which is idle in between', async () => {
    const { tasks, request } = await openTasks(echo)
    const first = await runTask(tasks, request('one', { keepOpen: true }))
    expect(first).toMatchObject({ status: 'idle', result: { text: 'echo one' } })
    await tasks.send(first.id, queue('two'), ALICE)
    const second = await taskThat(
      tasks,
      first.id,
      ({ status, turnCount }) => status === 'idle' && turnCount === 2,
    )
    expect(second.result).toMatchObject({ text: 'echo two' })
  })

  it('is sent once for one client message id', async () => {
    const { tasks, request, model } = await openTasks(echo)
    const { id } = await runTask(tasks, request('one'))
    const message = { ...queue('two'), clientMessageId: 'm-1' }
    const [first, second] = await Promise.all([
      tasks.send(id, message, ALICE),
      tasks.send(id, message, ALICE),
    ])
    expect(second.id).toBe(first.id)
    await taskThat(tasks, id, ({ status, turnCount }) => status === 'completed' && turnCount === 2)
    expect(await tasks.send(id, message, ALICE)).toMatchObject({ id: first.id, status: 'delivered' })
    await expect(tasks.send(id, { ...message, input: 'three' }, ALICE)).rejects.toMatchObject({
      code: 'idempotency-mismatch',
      details: { messageId: first.id },
    })
    expect(model.requests.map(lastUserText)).toEqual(['one', 'two'])
  })

  it('can be taken back until it is on its way', async () => {
    const { tasks, id, model } = await busyTask()
    const a = await tasks.send(id, queue('a'), ALICE)
    const b = await tasks.send(id, queue('b'), ALICE)
    expect(await tasks.cancelMessage(id, a.id, ALICE)).toMatchObject({ id: a.id, status: 'cancelled' })
    await expect(tasks.cancelMessage(id, 'no-such', ALICE)).rejects.toMatchObject({
      code: 'message-not-found',
    })
    await tasks.interrupt(id, ALICE)
    await taskThat(tasks, id, ({ status }) => status === 'completed')
    expect(model.requests.map(lastUserText)).toEqual(['never ends', 'b'])
    for (const gone of [a, b])
      await expect(tasks.cancelMessage(id, gone.id, ALICE)).rejects.toMatchObject({ code: 'not-running' })
  })

  it('taken back while its task is being started leaves the task interrupted, not starting', async () => {
    const { tasks, request, model } = await openTasks(echo)
    const { id } = await tasks.start(request('one'), ALICE)
    await taskThat(tasks, id, ({ status }) => status === 'starting')
    const [first] = (await tasks.show(id)).messages
    await tasks.cancelMessage(id, first!.id, ALICE)
    expect(await tasks.wait(id, { timeoutMs: 20_000 })).toMatchObject({ status: 'interrupted', turnCount: 0 })
    expect(model.requests).toEqual([])
    await tasks.send(id, queue('two'), ALICE)
    expect(await taskThat(tasks, id, ({ status }) => status === 'completed')).toMatchObject({
      result: { text: 'echo two' },
    })
  })

  it('that is empty is refused', async () => {
    const { tasks, request } = await openTasks(echo)
    const { id } = await runTask(tasks, request('one'))
    await expect(tasks.send(id, queue(' \n'), ALICE)).rejects.toMatchObject({ code: 'bad-request' })
    await expect(tasks.send('no-such', queue('x'), ALICE)).rejects.toMatchObject({ code: 'task-not-found' })
    expect(await tasks.get(id)).toMatchObject({ status: 'completed', queuedMessages: 0 })
  })
})

describe('overrides of a message', () => {
  it('stay for the turns after it, also when the service was restarted', async () => {
    const { tasks, request, model, close, open } = await openTasks(echo)
    const { id } = await runTask(tasks, request('one'))
    const overrides = {
      model: 'other',
      effort: 'high',
      sandbox: 'workspace-write',
      preset: 'trusted',
    } as const
    await tasks.send(id, { ...queue('two'), overrides }, ALICE)
    await taskThat(tasks, id, ({ status, turnCount }) => status === 'completed' && turnCount === 2)
    await tasks.send(id, queue('three'), ALICE)
    const third = await taskThat(
      tasks,
      id,
      ({ status, turnCount }) => status === 'completed' && turnCount === 3,
    )
    expect(third).toMatchObject({
      policy: { model: 'other', effort: 'high', sandbox: 'workspace-write', approvalPolicy: 'on-request' },
      preset: 'trusted',
    })
    await close()
    const again = await open()
    await again.tasks.send(id, queue('four'), ALICE)
    const fourth = await taskThat(
      again.tasks,
      id,
      ({ status, turnCount }) => status === 'completed' && turnCount === 4,
    )
    expect(fourth.effectivePolicy).toMatchObject({
      model: 'other',
      effort: 'high',
      sandbox: { type: 'workspaceWrite' },
    })
    const seen = model.requests.map(({ body }) => [
      body.model,
      (body.reasoning as { effort?: string } | null)?.effort,
    ])
    expect(seen.slice(1)).toEqual([
      ['other', 'high'],
      ['other', 'high'],
      ['other', 'high'],
    ])
  })

  it('that make no sense are refused', async () => {
    const { tasks, request } = await openTasks(echo)
    const { id } = await runTask(tasks, request('one'))
    const overrides = { preset: 'yolo' as never }
    await expect(tasks.send(id, { ...queue('two'), overrides }, ALICE)).rejects.toMatchObject({
      code: 'bad-request',
    })
  })
})

describe('steering', () => {
  it.each(['interrupted', 'timed-out'] as const)(
    'that codex had not taken in when the turn was %s is not lost',
    async (end) => {
      const { tasks, request, model } = await openTasks((call) =>
        lastUserText(call) === 'work'
          ? shell('touch started && sleep 30')
          : message(`echo ${lastUserText(call)}`),
      )
      const { id } = await tasks.start(
        {
          ...request('work'),
          policy: { sandbox: 'workspace-write' },
          timeoutMs: end === 'timed-out' ? 4_000 : 60_000,
        },
        ALICE,
      )
      await eventThat(tasks, id, ({ frame }) => /item\/started.*commandExecution/.test(frame))
      const sent = await tasks.send(id, steer('go left'), ALICE)
      expect(sent.status).toBe('delivered')
      if (end === 'interrupted') {
        await tasks.interrupt(id, ALICE)
        expect(await tasks.get(id)).toMatchObject({ status: 'interrupted', queuedMessages: 0 })
        expect(model.requests).toHaveLength(1)
        await tasks.resume(id, {}, ALICE)
      }
      const task = await taskThat(tasks, id, ({ status }) => status === 'completed')
      expect(task).toMatchObject({ result: { text: 'echo go left' }, turnCount: 2 })
      expect(model.requests.map(lastUserText)).toEqual(['work', 'go left'])
      const told = (await allEvents(tasks, id)).filter(({ frame }) => frame.includes(sent.id))
      expect(told.map((event) => paramsOf(event).status).filter(Boolean)).toEqual([
        'delivered',
        end === 'interrupted' ? 'cancelled' : 'queued',
        'delivered',
      ])
    },
  )

  it('reaches the model in the turn that runs, once for one client message id', async () => {
    const { tasks, id, model } = await busyTask()
    const message = { ...steer('go left'), clientMessageId: 'm-1' }
    const [first, second] = await Promise.all([
      tasks.send(id, message, ALICE),
      tasks.send(id, message, ALICE),
    ])
    expect(first.id).toBe(second.id)
    const task = await tasks.wait(id, { timeoutMs: 20_000 })
    expect(task).toMatchObject({ status: 'completed', result: { text: 'echo go left' }, turnCount: 1 })
    expect(await tasks.send(id, message, ALICE)).toMatchObject({
      status: 'delivered',
      turnId: task.result!.turnId,
    })
    const sent = model.requests.at(-1)!.body.input.filter((item) => JSON.stringify(item).includes('go left'))
    expect(sent).toHaveLength(1)
  })

  it('is refused when nothing runs, and leaves the task as it was', async () => {
    const { tasks, request } = await openTasks(echo)
    const task = await runTask(tasks, request('one'))
    await expect(tasks.send(task.id, steer('late'), ALICE)).rejects.toMatchObject({ code: 'not-running' })
    expect(await tasks.get(task.id)).toMatchObject({ status: 'completed', queuedMessages: 0, turnCount: 1 })
  })

  it('is refused for a task that is still being started', async () => {
    const { tasks, request } = await openTasks(() => [slow(500), message('ok')])
    const { id } = await tasks.start(request('one'), ALICE)
    await expect(tasks.send(id, steer('early'), ALICE)).rejects.toMatchObject({ code: 'not-running' })
  })
})
