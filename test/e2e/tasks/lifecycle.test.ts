// Fork, resume, rename, archive, delete.
import { describe, expect, it } from 'vitest'
import { hang, lastUserText, type ModelRequest, message, shell } from '../../../src/testing/index.ts'
import { ALICE, allEvents, openTasks } from '../../support/open-tasks.ts'
import { eventThat, isStreaming, paramsOf, questionOf, runTask, taskThat } from '../../support/task-facts.ts'

function echo(request: ModelRequest) {
  const text = lastUserText(request)
  return text === 'never ends' ? [message('half'), hang()] : message(`echo ${text}`)
}

const queue = (input: string) => ({ input, mode: 'queue' }) as const
const heard = (request: ModelRequest) => JSON.stringify(request.body.input)

describe('forking', () => {
  it('with a prompt is a new task that knows what the first one did, and leaves that one alone', async () => {
    const { tasks, request, model } = await openTasks(echo)
    const first = await runTask(
      tasks,
      request('one', { labels: ['l'], policy: { sandbox: 'workspace-write' }, preset: 'workspace' }),
    )
    const fork = await tasks.fork(first.id, { prompt: 'other way', title: 'Aside' }, ALICE)
    expect(fork).toMatchObject({ title: 'Aside', forkedFrom: first.id, labels: ['l'], preset: 'workspace' })
    const done = await tasks.wait(fork.id, { timeoutMs: 20_000 })
    expect(done).toMatchObject({
      status: 'completed',
      result: { text: 'echo other way' },
      effectivePolicy: { sandbox: { type: 'workspaceWrite' } },
    })
    expect(done.threadId).not.toBe(first.threadId)
    expect(heard(model.requests.at(-1)!)).toContain('echo one')
    await tasks.send(first.id, queue('two'), ALICE)
    await taskThat(tasks, first.id, ({ turnCount, status }) => turnCount === 2 && status === 'completed')
    expect(heard(model.requests.at(-1)!)).not.toContain('other way')
  })

  it('is done once for one key, and refused for another fork', async () => {
    const { tasks, request } = await openTasks(echo)
    const first = await runTask(tasks, request('one'))
    const asked = { prompt: 'aside', idempotencyKey: 'fork-1' }
    const fork = await tasks.fork(first.id, asked, ALICE)
    expect((await tasks.fork(first.id, asked, ALICE)).id).toBe(fork.id)
    await expect(tasks.fork(first.id, { ...asked, prompt: 'other' }, ALICE)).rejects.toMatchObject({
      code: 'idempotency-mismatch',
    })
    await tasks.wait(fork.id, { timeoutMs: 20_000 })
  })

  it('without a prompt waits, idle, for its first message', async () => {
    const { tasks, request, model } = await openTasks(echo)
    const first = await runTask(tasks, request('one'))
    const fork = await tasks.fork(first.id, {}, ALICE)
    expect(fork).toMatchObject({ status: 'idle', title: 'Fork of one', turnCount: 0, queuedMessages: 0 })
    expect(model.requests).toHaveLength(1)
    await tasks.send(fork.id, queue('now'), ALICE)
    const done = await taskThat(tasks, fork.id, ({ status }) => status === 'completed')
    expect(done.result).toMatchObject({ text: 'echo now' })
    expect(heard(model.requests.at(-1)!)).toContain('echo one')
  })

  it('from an earlier turn knows nothing of later ones', async () => {
    const { tasks, request, model } = await openTasks(echo)
    const first = await runTask(tasks, request('one'))
    await tasks.send(first.id, queue('two'), ALICE)
    await taskThat(tasks, first.id, ({ turnCount, status }) => turnCount === 2 && status === 'completed')
    const fork = await tasks.fork(first.id, { prompt: 'aside', lastTurnId: first.result!.turnId }, ALICE)
    await tasks.wait(fork.id, { timeoutMs: 20_000 })
    expect(heard(model.requests.at(-1)!)).toContain('echo one')
    expect(heard(model.requests.at(-1)!)).not.toContain('echo two')
  })

  it('of a turn that is not there is refused; of a fork’s, with codex’s reason', async () => {
    const { tasks, request } = await openTasks(echo)
    const first = await runTask(tasks, request('one'))
    const lastTurnId = 'no-such-turn'
    await expect(tasks.fork(first.id, { lastTurnId }, ALICE)).rejects.toMatchObject({ code: 'bad-request' })
    const fork = await tasks.fork(first.id, { prompt: 'aside' }, ALICE)
    await tasks.wait(fork.id, { timeoutMs: 20_000 })
    const second = await tasks.fork(fork.id, { prompt: 'aside', lastTurnId }, ALICE)
    expect(await tasks.wait(second.id, { timeoutMs: 20_000 })).toMatchObject({
      status: 'failed',
      reason: /turn/i,
    })
  })

  it('of a task without a thread is refused', async () => {
    const { tasks, request } = await openTasks(echo)
    const failed = await runTask(tasks, request('one', { codexPath: '/nowhere/codex' }))
    await expect(tasks.fork(failed.id, {}, ALICE)).rejects.toMatchObject({ code: 'not-resumable' })
  })
})

describe('resuming', () => {
  it('an interrupted task tells it to continue, or what one says', async () => {
    const { tasks, request, model } = await openTasks(echo)
    const { id } = await tasks.start(request('never ends'), ALICE)
    await eventThat(tasks, id, isStreaming)
    await expect(tasks.resume(id, {}, ALICE)).rejects.toMatchObject({ code: 'task-running' })
    await tasks.interrupt(id, ALICE)
    await tasks.resume(id, {}, ALICE)
    expect(await taskThat(tasks, id, ({ status }) => status === 'completed')).toMatchObject({
      result: { text: 'echo Continue.' },
      turnCount: 2,
    })
    await tasks.resume(id, { prompt: 'more' }, ALICE)
    await taskThat(tasks, id, ({ status, turnCount }) => status === 'completed' && turnCount === 3)
    expect(lastUserText(model.requests.at(-1)!)).toBe('more')
  })

  it('a lost task continues its thread in a new codex, and its messages waited for that', async () => {
    const { tasks, request, model, pool } = await openTasks(echo)
    const { id } = await tasks.start(request('never ends'), ALICE)
    await eventThat(tasks, id, isStreaming)
    await tasks.send(id, queue('later'), ALICE)
    process.kill(pool.list()[0]!.pid!, 'SIGKILL')
    const lost = await tasks.wait(id, { timeoutMs: 30_000 })
    expect(lost).toMatchObject({
      status: 'lost',
      turnId: null,
      queuedMessages: 1,
      failure: { resumable: true },
    })
    expect(lost.reason).toMatch(/SIGKILL/)
    expect(model.requests).toHaveLength(1)
    await tasks.resume(id, {}, ALICE)
    const task = await taskThat(tasks, id, ({ status }) => status === 'completed')
    expect(task).toMatchObject({ threadId: lost.threadId, result: { text: 'echo later' } })
    expect(heard(model.requests.at(-1)!)).toContain('never ends')
  })

  it('a task whose codex died with a question open finds the question withdrawn', async () => {
    const { tasks, request, pool } = await openTasks((call) =>
      lastUserText(call) === 'go' ? shell('touch made', { escalate: 'please' }) : message('well'),
    )
    const { id } = await tasks.start(request('go'), ALICE)
    const question = await questionOf(tasks, id)
    process.kill(pool.list()[0]!.pid!, 'SIGKILL')
    await taskThat(tasks, id, ({ status }) => status === 'lost')
    expect(await tasks.approval(question.id)).toMatchObject({ status: 'withdrawn', why: 'codex is gone' })
    await tasks.resume(id, {}, ALICE)
    expect(await taskThat(tasks, id, ({ status }) => status === 'completed')).toMatchObject({
      openApprovals: 0,
    })
  })
})

describe('changing', () => {
  it('renames and relabels, says so in the log, and keeps secrets out of it', async () => {
    const secret = 'sk-proj-Zx81kQ0vN5tYpLw3mB7rDfGhJ2cVbXs94TuEaRiO'
    const { tasks, request } = await openTasks(echo)
    const { id } = await runTask(tasks, request('one', { labels: ['old'] }))
    const changed = await tasks.change(id, { title: `New ${secret}`, labels: ['new'] }, ALICE)
    expect(changed).toMatchObject({ title: expect.stringMatching(/^New sk-/), labels: ['new'] })
    const event = (await allEvents(tasks, id)).at(-1)!
    expect(event.method).toBe('drawbridge/changed')
    expect(paramsOf(event)).toMatchObject({ actor: 'test:alice', fields: { labels: ['new'] } })
    expect(JSON.stringify([changed, event])).not.toContain(secret)
    await expect(tasks.change(id, { preset: 'yolo' as never }, ALICE)).rejects.toMatchObject({
      code: 'bad-request',
    })
    await expect(tasks.change(id, { rules: ['nonsense'] }, ALICE)).rejects.toMatchObject({
      code: 'bad-request',
    })
  })

  it('archives a task that has ended: hidden from the list until it is asked for or gets a message', async () => {
    const { tasks, request } = await openTasks(echo)
    const { id } = await runTask(tasks, request('one'))
    expect(await tasks.change(id, { archived: true }, ALICE)).toMatchObject({
      archivedAt: expect.any(Number),
    })
    const ids = async (archived: false | true | 'only') =>
      (await tasks.list({ archived })).items.map((task) => task.id)
    expect([await ids(false), await ids(true), await ids('only')]).toEqual([[], [id], [id]])
    await tasks.send(id, queue('two'), ALICE)
    expect(await taskThat(tasks, id, ({ status }) => status === 'completed')).toMatchObject({
      archivedAt: null,
    })
    expect([await ids(false), await ids('only')]).toEqual([[id], []])
  })
})

describe('deleting', () => {
  it('takes events, questions and messages with it, ends followers, and keeps the audit', async () => {
    const { tasks, request } = await openTasks((call) =>
      lastUserText(call) === 'go' && !heard(call).includes('function_call_output')
        ? shell('touch made', { escalate: 'please' })
        : message('well'),
    )
    const { id } = await tasks.start(request('go'), ALICE)
    const question = await questionOf(tasks, id)
    await expect(tasks.delete(id)).rejects.toMatchObject({ code: 'task-running' })
    await expect(tasks.change(id, { archived: true }, ALICE)).rejects.toMatchObject({ code: 'task-running' })
    await tasks.decide(question.id, { answer: 'deny', why: 'not today' }, ALICE)
    await tasks.wait(id, { timeoutMs: 20_000 })
    const follower = tasks.follow(id, { after: 0, signal: AbortSignal.timeout(20_000) })
    await follower.next()
    await tasks.delete(id)
    for await (const event of follower) expect(event.taskId).toBe(id)
    const looks = [
      () => tasks.get(id),
      () => tasks.events(id, {}),
      () => tasks.show(id),
      () => tasks.delete(id),
    ]
    for (const look of looks) await expect(look()).rejects.toMatchObject({ code: 'task-not-found' })
    await expect(tasks.approval(question.id)).rejects.toMatchObject({ code: 'approval-not-found' })
    expect((await tasks.list({ archived: true })).items).toEqual([])
    expect((await tasks.audit({ taskId: id })).items).toMatchObject([
      { approvalId: question.id, answer: 'deny', by: 'person', actor: 'test:alice', why: 'not today' },
    ])
  })
})
