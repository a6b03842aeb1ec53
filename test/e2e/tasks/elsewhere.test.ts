// Turns that another client of the app-server begins, or codex itself: the task's like any other.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Answer } from '../../../src/codex/index.ts'
import type { DurableTasks, Task } from '../../../src/tasks/index.ts'
import {
  lastUserText,
  type ModelRequest,
  message,
  type Reply,
  shell,
  toolOutputs,
} from '../../../src/testing/index.ts'
import { cuttablePool } from '../../support/cuttable-pool.ts'
import { ALICE, allEvents, openTasks } from '../../support/open-tasks.ts'
import { otherClient } from '../../support/other-client.ts'
import { eventThat, paramsOf, questionOf, runTask, taskThat } from '../../support/task-facts.ts'

/** Answers with what it was told; `please ask` makes it ask for a command first. */
function echo(request: ModelRequest): Reply {
  const text = lastUserText(request)
  const isAsked = toolOutputs(request).length > 0
  if (text === 'please ask' && !isAsked) return shell('touch made', { escalate: 'please' })
  return message(`said ${text}`)
}

/** What the model said, as the log has it. */
async function saidIn(tasks: DurableTasks, taskId: string): Promise<string[]> {
  return (await allEvents(tasks, taskId))
    .filter(({ method, frame }) => method === 'item/completed' && frame.includes('"agentMessage"'))
    .map((event) => paramsOf(event).item.text)
}

const isTask = ({ method }: { method: string }) => method === 'drawbridge/task'

describe('a turn that another client begins', () => {
  it('makes a task that had ended work again, and is counted, settled and told like any other', async () => {
    const stage = await openTasks(echo)
    const { tasks, request } = stage
    const first = await runTask(tasks, request('one'))
    expect(first).toMatchObject({ status: 'completed', turnCount: 1, result: { text: 'said one' } })
    const other = await otherClient(stage)
    const turnId = await other.begin(first.threadId, 'two')
    const ended = await taskThat(
      tasks,
      first.id,
      ({ turnCount, status }) => turnCount === 2 && status === 'completed',
    )
    expect(ended).toMatchObject({ turnId: null, result: { turnId, text: 'said two' } })
    const statuses = (await allEvents(tasks, first.id)).filter(isTask).map(paramsOf)
    expect(statuses.slice(-2)).toMatchObject([
      { status: 'working', evidence: { turnId, begunElsewhere: true } },
      { status: 'completed', evidence: { turnId } },
    ])
    const { total } = await tasks.usage({ days: 1, timeZone: 'UTC' })
    expect(total).toMatchObject({ turns: { completed: 2 }, tokens: { input: 20, output: 10 } })
  })

  it('keeps messages waiting until it has ended', async () => {
    const stage = await openTasks(echo)
    const { tasks, request } = stage
    const { id, threadId } = await runTask(tasks, request('one', { keepOpen: true }))
    const other = await otherClient(stage)
    await other.begin(threadId, 'please ask')
    const question = await questionOf(tasks, id)
    await taskThat(tasks, id, ({ status, turnCount }) => status === 'waiting' && turnCount === 2)
    const queued = await tasks.send(id, { input: 'three', mode: 'queue' }, ALICE)
    expect(queued.status).toBe('queued')
    await tasks.decide(question.id, { answer: 'deny' }, ALICE)
    const ended = await taskThat(tasks, id, ({ turnCount, status }) => turnCount === 3 && status === 'idle')
    expect(ended.result?.text).toBe('said three')
    const messages = (await allEvents(tasks, id)).filter(({ method }) => method === 'drawbridge/message')
    const { turnId } = ended.result!
    expect(paramsOf(messages.at(-1)!)).toMatchObject({ text: 'three', status: 'delivered', turnId })
  })

  it('is steered and interrupted from here', async () => {
    const stage = await openTasks(echo)
    const { tasks, request } = stage
    const { id, threadId } = await runTask(tasks, request('one'))
    const other = await otherClient(stage)
    const turnId = await other.begin(threadId, 'please ask')
    const question = await questionOf(tasks, id)
    await taskThat(tasks, id, ({ turnCount }) => turnCount === 2)
    const steered = await tasks.send(id, { input: 'and more', mode: 'steer' }, ALICE)
    expect(steered).toMatchObject({ status: 'delivered', turnId })
    const ended = await tasks.interrupt(id, ALICE)
    expect(ended).toMatchObject({
      status: 'interrupted',
      turnCount: 2,
      reason: 'it was interrupted by test:alice',
    })
    expect(await tasks.approval(question.id)).toMatchObject({ status: 'withdrawn', actor: null })
    expect((await tasks.audit({ taskId: id })).items).toEqual([])
  })

  it('has the time that every turn of the task has', async () => {
    const stage = await openTasks(echo)
    const { tasks, request } = stage
    const { id, threadId } = await runTask(tasks, request('one', { timeoutMs: 3_000 }))
    const other = await otherClient(stage)
    await other.begin(threadId, 'please ask')
    const ended = await taskThat(tasks, id, ({ status }) => status === 'timed-out')
    expect(ended).toMatchObject({ turnCount: 2, reason: 'the turn took longer than 3 s' })
  })

  it('with more rights than the task has is told, and the next one from here has its own again', async () => {
    const stage = await openTasks(echo)
    const { tasks, request } = stage
    const { id, threadId } = await runTask(tasks, request('one', { policy: { sandbox: 'read-only' } }))
    const other = await otherClient(stage)
    await other.begin(threadId, 'two', {
      sandboxPolicy: { type: 'dangerFullAccess' },
      approvalPolicy: 'never',
    })
    const wide = await taskThat(
      tasks,
      id,
      ({ turnCount, status }) => turnCount === 2 && status === 'completed',
    )
    expect(wide.effectivePolicy).toMatchObject({
      sandbox: { type: 'dangerFullAccess' },
      approvalPolicy: 'never',
    })
    const told = await eventThat(tasks, id, ({ method }) => method === 'drawbridge/incident')
    expect(paramsOf(told)).toMatchObject({
      type: 'policy-differs',
      message: expect.stringMatching(/sandbox dangerFullAccess, not readOnly; approvalPolicy never, not on-/),
    })
    await tasks.send(id, { input: 'please ask', mode: 'queue' }, ALICE)
    // Under full access, or with nobody to ask, it would not ask.
    await questionOf(tasks, id)
    const { effectivePolicy } = await tasks.get(id)
    expect(effectivePolicy).toMatchObject({ sandbox: { type: 'readOnly' }, approvalPolicy: 'on-request' })
    await tasks.interrupt(id, ALICE)
  })

  it('follows at once on another, and both are settled in their order', async () => {
    const stage = await openTasks(echo)
    const { tasks, request } = stage
    const { id, threadId } = await runTask(tasks, request('one'))
    const other = await otherClient(stage)
    const thread = await other.resume(threadId)
    for (const text of ['two', 'three', 'four']) await (await thread.startTurn(text)).outcome
    const ended = await taskThat(
      tasks,
      id,
      ({ turnCount, status }) => turnCount === 4 && status === 'completed',
    )
    expect(ended.result?.text).toBe('said four')
    const { total } = await tasks.usage({ days: 1, timeZone: 'UTC' })
    expect(total).toMatchObject({ turns: { completed: 4 }, tokens: { input: 40 } })
  })
})

describe('a goal', () => {
  it('makes turns of the task, until it is paused', async () => {
    const stage = await openTasks(echo)
    const { tasks, request } = stage
    const { id, threadId } = await runTask(tasks, request('one'))
    const { codex } = await otherClient(stage)
    await codex.request('thread/goal/set', { threadId: threadId!, objective: 'go on' } as never)
    await taskThat(tasks, id, ({ turnCount }) => turnCount >= 3)
    await codex.request('thread/goal/set', { threadId: threadId!, status: 'paused' } as never)
    const ended = await taskThat(
      tasks,
      id,
      ({ status }) => status === 'completed' || status === 'interrupted',
    )
    expect(ended.turnCount).toBeGreaterThanOrEqual(3)
  })
})

describe('a service that was gone', () => {
  it('watches a turn on that another client had begun', async () => {
    const stage = await openTasks(echo)
    const { id, threadId } = await runTask(stage.tasks, stage.request('one'))
    const other = await otherClient(stage)
    const turnId = await other.begin(threadId, 'please ask')
    await questionOf(stage.tasks, id)
    await stage.close()
    const { tasks } = await stage.open()
    const question = await questionOf(tasks, id)
    expect(await tasks.get(id)).toMatchObject({ status: 'waiting', turnCount: 2, turnId })
    await tasks.decide(question.id, { answer: 'once' }, ALICE)
    const ended = await taskThat(tasks, id, ({ status }) => status === 'completed')
    expect(ended).toMatchObject({ turnCount: 2, result: { turnId, text: 'said please ask' } })
  })

  it('settles the turns that another client had meanwhile, in the task that rested', async () => {
    const stage = await openTasks(echo)
    const { id, threadId } = await runTask(stage.tasks, stage.request('one'))
    const other = await otherClient(stage)
    const thread = await other.resume(threadId)
    await stage.close()
    for (const text of ['two', 'three']) await (await thread.startTurn(text)).outcome
    const { tasks } = await stage.open()
    const ended = await taskThat(
      tasks,
      id,
      ({ turnCount, status }) => turnCount === 3 && status === 'completed',
    )
    expect(ended.result?.text).toBe('said three')
    expect(await saidIn(tasks, id)).toEqual(['said one', 'said two', 'said three'])
  })

  it('settles them also when a message opens the thread first', async () => {
    const stage = await openTasks(echo)
    const { id, threadId } = await runTask(stage.tasks, stage.request('one'))
    const other = await otherClient(stage)
    const thread = await other.resume(threadId)
    await stage.close()
    await (await thread.startTurn('two')).outcome
    await other.codex.close()
    // No thread is loaded then, and none is looked at by itself.
    await stage.end()
    const { tasks } = await stage.open()
    await tasks.send(id, { input: 'three', mode: 'queue' }, ALICE)
    const isDone = (task: Task) => task.status === 'completed' && task.result?.text === 'said three'
    expect(await taskThat(tasks, id, isDone)).toMatchObject({ turnCount: 3 })
    expect(await saidIn(tasks, id)).toEqual(['said one', 'said two', 'said three'])
  })

  it('finds a turn that began meanwhile and still runs', async () => {
    const stage = await openTasks(echo)
    const { id, threadId } = await runTask(stage.tasks, stage.request('one'))
    const other = await otherClient(stage)
    await other.resume(threadId)
    await stage.close()
    await other.begin(threadId, 'please ask')
    const { tasks } = await stage.open()
    const question = await questionOf(tasks, id)
    await taskThat(tasks, id, ({ status, turnCount }) => status === 'waiting' && turnCount === 2)
    await tasks.decide(question.id, { answer: 'once' }, ALICE)
    await taskThat(tasks, id, ({ status }) => status === 'completed')
  })

  it.each([
    ['its own', 'please ask'],
    ["another client's", 'one'],
  ])(
    'leaves the question of the turn that runs open when it settles the one before, %s',
    async (_, first) => {
      const stage = await openTasks(echo)
      const begun = await stage.tasks.start(stage.request(first), ALICE)
      const isOwn = first === 'please ask'
      const { id, threadId } = isOwn
        ? await taskThat(stage.tasks, begun.id, ({ status }) => status === 'waiting')
        : await taskThat(stage.tasks, begun.id, ({ status }) => status === 'completed')
      const asked = Promise.withResolvers<void>()
      const answers: Answer[] = isOwn ? ['deny'] : []
      const other = await otherClient(stage, {
        onApproval: async () => {
          const answer = answers.shift()
          if (answer) return answer
          asked.resolve()
          return new Promise<never>(() => {})
        },
      })
      const ended = Promise.withResolvers<void>()
      other.codex.subscribe(({ method }) => {
        if (method === 'turn/completed') ended.resolve()
      })
      await stage.close()
      await other.resume(threadId)
      if (!isOwn) await other.begin(threadId, 'two')
      await ended.promise
      const turnId = await other.begin(threadId, 'please ask')
      await asked.promise
      const { tasks } = await stage.open()
      const isWaiting = (task: Task) => task.status === 'waiting' && task.turnId === turnId
      await taskThat(tasks, id, isWaiting)
      const [question] = (await tasks.approvals({ taskId: id, status: 'pending' })).items
      await tasks.decide(question!.id, { answer: 'once' }, ALICE)
      const done = await taskThat(tasks, id, ({ status }) => status === 'completed')
      expect(done.result).toMatchObject({ turnId, text: 'said please ask' })
    },
  )

  it('hears of a turn in a thread that it has not opened', async () => {
    const stage = await openTasks(echo)
    const { id, threadId } = await runTask(stage.tasks, stage.request('one'))
    const other = await otherClient(stage)
    const thread = await other.resume(threadId)
    await stage.close()
    const { tasks } = await stage.open()
    expect(await tasks.get(id)).toMatchObject({ status: 'completed', turnCount: 1 })
    await (await thread.startTurn('two')).outcome
    const ended = await taskThat(
      tasks,
      id,
      ({ turnCount, status }) => turnCount === 2 && status === 'completed',
    )
    expect(ended.result?.text).toBe('said two')
  })

  it('leaves the thread of a task that is deleted while it is opened to its other client', async () => {
    const { wrapPool, holdReply } = cuttablePool()
    const gate = Promise.withResolvers<void>()
    const script = async (request: ModelRequest) => {
      if (lastUserText(request) === 'please ask') await gate.promise
      return echo(request)
    }
    const stage = await openTasks(script, { wrapPool })
    const { id, threadId } = await runTask(stage.tasks, stage.request('one'))
    const other = await otherClient(stage, { onApproval: () => 'once' })
    const thread = await other.resume(threadId)
    await stage.close()
    const { tasks } = await stage.open()
    const resumed = holdReply('thread/resume')
    const turn = await thread.startTurn('please ask')
    const letThrough = await resumed
    await tasks.delete(id, ALICE)
    const left = holdReply('thread/unsubscribe')
    letThrough()
    await left
    gate.resolve()
    expect(await turn.outcome).toMatchObject({ status: 'completed', text: 'said please ask' })
    expect(existsSync(path.join(stage.cwd, 'made'))).toBe(true)
    expect((await tasks.list({})).items).toEqual([])
  })

  it('does not take the turns that a fork began with for its own', async () => {
    const stage = await openTasks(echo)
    const from = await runTask(stage.tasks, stage.request('one'))
    const { id } = await stage.tasks.fork(from.id, { prompt: 'two' }, ALICE)
    const fork = await taskThat(stage.tasks, id, ({ status }) => status === 'completed')
    const other = await otherClient(stage)
    const thread = await other.resume(fork.threadId)
    await stage.close()
    await (await thread.startTurn('three')).outcome
    const { tasks } = await stage.open()
    const isDone = (task: Task) => task.status === 'completed' && task.result?.text === 'said three'
    expect(await taskThat(tasks, id, isDone)).toMatchObject({ turnCount: 2 })
    expect(await tasks.get(from.id)).toMatchObject({ turnCount: 1, result: { text: 'said one' } })
  })
})
